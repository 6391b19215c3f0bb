// SPDX-License-Identifier: Apache-2.0
//! A program that cannot go on ends with the place and the reason, and with everything as before that instruction.

use crate::common::{DATA, EBREAK, ECALL, addi, i_type, load, lui, machine, r_type, store};
use noccl_riscv::{Call, MEMORY_BASE, Outside, PORTS_BASE, RiscvError, Stopped, Trap, TrapCause};

fn check(words: &[u32], at: u64, cause: TrapCause) -> Result<(), RiscvError> {
    let (program, mut core) = machine(words)?;
    let stopped = core.run(&program, u64::MAX);
    let pc = MEMORY_BASE + 4 * at;
    assert_eq!(stopped, Stopped::Trap(Trap { pc, cause }));
    assert_eq!((core.pc, core.retired_instructions), (pc, at));
    Ok(())
}

#[test]
fn accesses_outside_the_memory_name_address_and_width() -> Result<(), RiscvError> {
    let address = MEMORY_BASE + crate::common::MEMORY_BYTES - 4;
    let words = [
        lui(5, address as u32),
        addi(5, 5, -4),
        load(3, 6, 5, 0),
        EBREAK,
    ];
    check(&words, 3, TrapCause::Breakpoint)?;
    let beyond = [lui(5, 0x1001_0000), load(3, 6, 5, -4), EBREAK];
    check(&beyond, 1, TrapCause::LoadOutside { address, bytes: 8 })?;
    let beyond = [lui(5, 0x1001_0000), store(1, 6, 5, -1), EBREAK];
    let address = address + 3;
    check(&beyond, 1, TrapCause::StoreOutside { address, bytes: 2 })?;
    check(
        &[load(0, 6, 0, 0)],
        0,
        TrapCause::LoadOutside {
            address: 0,
            bytes: 1,
        },
    )?;
    let address = u64::MAX;
    check(
        &[load(3, 6, 0, -1)],
        0,
        TrapCause::LoadOutside { address, bytes: 8 },
    )
}

#[test]
fn code_cannot_be_written() -> Result<(), RiscvError> {
    let (address, bytes) = (MEMORY_BASE, 4);
    let words = [lui(5, MEMORY_BASE as u32), store(2, 6, 5, 0), EBREAK];
    check(&words, 1, TrapCause::StoreToCode { address, bytes })?;
    let swap = r_type(0x2f, 2, 1 << 2, 6, 5, 7);
    check(
        &[words[0], swap],
        1,
        TrapCause::StoreToCode { address, bytes },
    )
}

#[test]
fn atomics_and_ports_refuse_other_multiples() -> Result<(), RiscvError> {
    let swap = r_type(0x2f, 3, 1 << 2, 6, 5, 7);
    let words = [lui(5, DATA as u32), addi(5, 5, 4), swap];
    let (address, bytes) = (DATA + 4, 8);
    check(&words, 2, TrapCause::Misaligned { address, bytes })?;
    let (address, bytes) = (PORTS_BASE + 2, 4);
    let words = [lui(5, PORTS_BASE as u32), load(2, 6, 5, 2)];
    check(&words, 1, TrapCause::Misaligned { address, bytes })?;
    let (address, bytes) = (PORTS_BASE, 1);
    let words = [lui(5, PORTS_BASE as u32), store(0, 6, 5, 0)];
    check(&words, 1, TrapCause::NarrowPortAccess { address, bytes })
}

#[test]
fn words_that_are_no_instruction_are_shown() -> Result<(), RiscvError> {
    let wide = 0x0000_007f;
    check(&[wide], 0, TrapCause::IllegalInstruction { word: wide })?;
    check(&[0], 0, TrapCause::IllegalInstruction { word: 0 })?;
    // Rounding modes that do not exist: in the instruction, and in fcsr, which only those that round look at.
    let fixed = r_type(0x53, 5, 0x01, 1, 2, 3);
    check(&[fixed], 0, TrapCause::IllegalInstruction { word: fixed })?;
    let mode = i_type(0x73, 5, 0, 6, 2);
    let dynamic = r_type(0x53, 7, 0x01, 1, 2, 3);
    check(
        &[mode, dynamic],
        1,
        TrapCause::IllegalInstruction { word: dynamic },
    )?;
    let negate = r_type(0x53, 1, 0x11, 1, 2, 3);
    check(&[mode, negate, EBREAK], 2, TrapCause::Breakpoint)?;
    // Counters cannot be written; a write of nothing is a read.
    let write = i_type(0x73, 1, 0, 6, 0xc00);
    check(&[write], 0, TrapCause::IllegalInstruction { word: write })?;
    check(
        &[i_type(0x73, 2, 5, 0, 0xc00), EBREAK],
        1,
        TrapCause::Breakpoint,
    )?;
    let unknown = i_type(0x73, 2, 5, 0, 0x300);
    check(
        &[unknown],
        0,
        TrapCause::IllegalInstruction { word: unknown },
    )
}

#[test]
fn leaving_the_code_is_a_trap() -> Result<(), RiscvError> {
    check(&[addi(1, 0, 1)], 1, TrapCause::FetchOutside)?;
    let (program, mut core) = machine(&[i_type(0x67, 0, 0, 0, 0x700)])?;
    let (pc, cause) = (0x700, TrapCause::FetchOutside);
    assert_eq!(core.run(&program, 100), Stopped::Trap(Trap { pc, cause }));
    Ok(())
}

#[test]
fn the_request_to_end_has_a_code() -> Result<(), RiscvError> {
    let (program, mut core) = machine(&[addi(17, 0, 93), addi(10, 0, -2), ECALL])?;
    let code = (-2_i64).cast_unsigned();
    assert_eq!(core.run(&program, 100), Stopped::Exit { code });
    Ok(())
}

#[test]
fn a_call_waits_for_its_response_and_is_a_trap_where_nobody_takes_it() -> Result<(), RiscvError> {
    let words = [
        addi(17, 0, 64),
        addi(10, 0, 5),
        addi(16, 0, 7),
        ECALL,
        EBREAK,
    ];
    let (program, mut core) = machine(&words)?;
    assert!(!core.finish_call(&program, 1, 0), "no call yet");
    let pc = MEMORY_BASE + 12;
    let call = Call {
        pc,
        number: 64,
        arguments: [5, 0, 0, 0, 0, 0, 7],
        cycle: 3,
    };
    for _ in 0..2 {
        assert_eq!(core.run(&program, 100), Stopped::Call(call));
    }
    let cause = TrapCause::UnknownCall { number: 64 };
    assert_eq!(call.refused(), Trap { pc, cause });
    assert!(core.finish_call(&program, 9, 50));
    assert_eq!((core.registers.x[10], core.cycle), (9, 50));
    assert_eq!((core.pc, core.retired_instructions), (pc + 4, 4));
    // A response at once takes what the instruction costs.
    let (program, mut core) = machine(&words)?;
    core.run(&program, 100);
    assert!(core.finish_call(&program, 9, 0));
    assert_eq!(core.cycle, 4);
    Ok(())
}

#[test]
fn whoever_responds_reaches_memory_but_not_code() -> Result<(), RiscvError> {
    let (program, mut core) = machine(&[ECALL, EBREAK])?;
    let end = MEMORY_BASE + crate::common::MEMORY_BYTES;
    for (address, bytes) in [(0, 1), (end - 4, 8), (u64::MAX, 2), (DATA, u64::MAX)] {
        let outside = Outside::Memory { address, bytes };
        assert_eq!(core.read(address, bytes), Err(outside));
        assert_eq!(core.write(&program, address, bytes), Err(outside));
    }
    let code = Outside::Code {
        address: MEMORY_BASE + 7,
        bytes: 2,
    };
    assert_eq!(core.write(&program, MEMORY_BASE + 7, 2), Err(code));
    assert_eq!(
        core.write(&program, MEMORY_BASE + 8, 2),
        Ok(&mut [0, 0][..])
    );
    assert_eq!(core.read(MEMORY_BASE, 4), Ok(&ECALL.to_le_bytes()[..]));
    Ok(())
}
