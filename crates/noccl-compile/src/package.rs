// SPDX-License-Identifier: Apache-2.0
//! The packages of the compiler and of the C library: Debian 12, pinned by address and content.

/// A pinned package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Package {
    /// Name in Debian.
    pub name: &'static str,
    /// Below the archive's address.
    pub path: &'static str,
    /// Length of the file.
    pub bytes: u64,
    /// Digest of the file.
    pub sha256: &'static str,
    /// What of it is unpacked; nothing means all.
    pub parts: &'static [&'static str],
}

/// Address of the archive; `NOCCL_DEBIAN` names a mirror.
pub(crate) const ARCHIVE: &str = "http://deb.debian.org/debian";

/// The compiler, its assembler and linker, and the libraries that the compiler itself needs.
pub(crate) const PACKAGES: [Package; 6] = [
    Package {
        name: "gcc-riscv64-unknown-elf",
        path: "pool/main/g/gcc-riscv64-unknown-elf/gcc-riscv64-unknown-elf_12.2.0-14+deb12u1+11+b2_amd64.deb",
        bytes: 36_994_628,
        sha256: "6117b2328a58059977e04e9938fffa2016cc88a2dc0ca70d1efeeea0c7b4dace",
        parts: &[],
    },
    Package {
        name: "binutils-riscv64-unknown-elf",
        path: "pool/main/b/binutils-riscv64-unknown-elf/binutils-riscv64-unknown-elf_2.40-2+4+b1_amd64.deb",
        bytes: 2_674_316,
        sha256: "e3b54bd849891b1afb83b9751efe671e35d6267ce791ea9b01205b616276021c",
        parts: &[],
    },
    Package {
        name: "libgmp10",
        path: "pool/main/g/gmp/libgmp10_6.2.1+dfsg1-1.1_amd64.deb",
        bytes: 562_588,
        sha256: "187aedef2ed763f425c1e523753b9719677633c7eede660401739e9c893482bd",
        parts: &[],
    },
    Package {
        name: "libmpfr6",
        path: "pool/main/m/mpfr4/libmpfr6_4.2.0-1_amd64.deb",
        bytes: 700_900,
        sha256: "37b7a2b4e78890b6a074777f27b96c84f58e81558ba08410c2b6c0ca4a4ad77b",
        parts: &[],
    },
    Package {
        name: "libmpc3",
        path: "pool/main/m/mpclib3/libmpc3_1.3.1-1_amd64.deb",
        bytes: 51_480,
        sha256: "d7f79544790e44f9b0c8cb9034a18c58d37f8702a15f32539050718679e52f80",
        parts: &[],
    },
    Package {
        name: "libisl23",
        path: "pool/main/i/isl/libisl23_0.25-1.1_amd64.deb",
        bytes: 683_060,
        sha256: "ebff0b2f8b220c74224197523019366e97ee4770d464bebc48e4865114e4da0e",
        parts: &[],
    },
];

/// Where picolibc's headers and archives are.
macro_rules! picolibc {
    ($path:literal) => {
        concat!("./usr/lib/picolibc/riscv64-unknown-elf/", $path)
    };
}

/// Headers of the C library, in its folder.
pub(crate) const LIBRARY_HEADERS: &str = picolibc!("include");

/// The C library for the instructions and the calling convention of cores.
pub(crate) const LIBRARY_ARCHIVE: &str = picolibc!("lib/rv64imafdc/lp64d/libc.a");

/// The C library, for 30 kinds of cores, of which one is unpacked.
pub(crate) const LIBRARY: [Package; 1] = [Package {
    name: "picolibc-riscv64-unknown-elf",
    path: "pool/main/p/picolibc/picolibc-riscv64-unknown-elf_1.8-1_all.deb",
    bytes: 115_015_032,
    sha256: "0dadfbd9eb6a6c2ce5e0b1466da03d5c99b901f5977f0bc17cc60c0a42fcee66",
    parts: &[
        LIBRARY_HEADERS,
        LIBRARY_ARCHIVE,
        "./usr/share/doc/picolibc-riscv64-unknown-elf/copyright",
    ],
}];
