// SPDX-License-Identifier: Apache-2.0
//! Numbers of a spec, drawn from the ranges by which it is validated.

use noccl_spec::{FieldRange, Form, Number, parse_spec, preset_text, ranges};
use noccl_testkit::Random;

/// Fields by path, with what they are set to.
pub type Overrides = Vec<(String, String)>;

/// Numbers of a case.
pub const fn numbers(seed: u64) -> Random {
    Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6a09_e667_f3bc_c908)
}

/// Ranges of a preset's numbers, given some of them. `None` if these are refused.
fn ranges_of(preset: &str, overrides: &[(String, String)]) -> Option<Vec<FieldRange>> {
    let text = preset_text(preset).unwrap();
    Some(ranges(&parse_spec(preset, &text, overrides).ok()?))
}

/// Both ends of every range.
pub fn ends(preset: &str) -> Overrides {
    let all = ranges_of(preset, &[]).unwrap();
    let both = |r: FieldRange| [r.least, r.most].map(|end| (r.field.clone(), end.to_string()));
    all.into_iter().flat_map(both).collect()
}

/// Two to four numbers, each at an end of its range or between; a range as the numbers before have left it, mostly.
pub fn several(preset: &str, random: &mut Random) -> Overrides {
    let given = ranges_of(preset, &[]).unwrap();
    let mut drawn = Overrides::new();
    for _ in 0..2 + random.below(3) {
        let left = ranges_of(preset, &drawn).filter(|_| random.below(4) > 0);
        let from = left.unwrap_or_else(|| given.clone());
        // Meshes are mostly refused, and energies change nothing: less often.
        let is_rare =
            |r: &&FieldRange| r.field.starts_with("mesh.") || r.field.starts_with("energy.");
        let with_rare = random.below(8) == 0;
        let is_drawn = |r: &&FieldRange| with_rare || !is_rare(r);
        let from: Vec<&FieldRange> = from.iter().filter(is_drawn).collect();
        let range = *random.pick(&from);
        drawn.retain(|(field, _)| *field != range.field);
        drawn.push((range.field.clone(), value(range, random)));
    }
    drawn
}

fn value(range: &FieldRange, random: &mut Random) -> String {
    let (Number::Whole(least), Number::Whole(most)) = (range.least, range.most) else {
        return (*random.pick(&["0.0", "0.5", "1e9"])).to_owned();
    };
    let between = match random.below(4) {
        0 => least,
        1 => most,
        // Small numbers more often than large ones.
        _ => {
            let width = random.below(u64::from((most - least + 1).ilog2()) + 1);
            (least + random.below(2 << width)).min(most)
        }
    };
    match range.form {
        Form::Any => between,
        Form::Ends => *random.pick(&[least, most]),
        Form::PowerOfTwo => between.next_power_of_two().min(most),
        Form::Beats | Form::Words => between.next_multiple_of(least),
    }
    .to_string()
}
