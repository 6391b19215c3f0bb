// SPDX-License-Identifier: Apache-2.0
//! Seeded draws come up as often as asked, whatever the seed.

use noccl_workload::number::is_drawn;

#[test]
fn a_case_is_drawn_as_often_as_asked() {
    let share = |per_256| {
        (0..1 << 16)
            .filter(|key| is_drawn(7, *key, per_256))
            .count()
    };
    assert_eq!((share(0), share(256)), (0, 1 << 16));
    for per_256 in [1_u32, 64, 200] {
        // Five standard deviations of 65536 draws.
        let p = f64::from(per_256) / 256.0;
        let limit = 5.0 * 256.0 * (p * (1.0 - p)).sqrt();
        let found = share(per_256) as f64;
        assert!((found - 65_536.0 * p).abs() < limit, "{per_256}: {found}");
    }
    let both = |key: &u64| is_drawn(1, *key, 128) && is_drawn(2, *key, 128);
    let found = (0..1 << 16).filter(both).count();
    assert!(
        found.abs_diff(1 << 14) < 640,
        "seeds are not independent: {found}"
    );
}
