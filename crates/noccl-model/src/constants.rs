// SPDX-License-Identifier: Apache-2.0
//! The constants of our own model, and which law each belongs to.
//!
//! None is written by hand: `fit` takes them from measured runs, `noccl calibrate` writes them to a file.

use noccl_spec::WideReductionKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fitted constants, in cycles. A round trip over h hops costs h times `hop_cycles`, one direction half of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// γ: round trip over one hop.
    pub hop_cycles: f64,
    /// β of a transfer or a reduction that takes one beat per cycle.
    pub beta_cycles_per_beat: f64,
    /// α of a transfer in which the destination reads.
    pub pull_alpha_cycles: f64,
    /// α of a transfer in which the source writes, to one tile or to many.
    pub push_alpha_cycles: f64,
    /// α of a transfer that reads at one tile and writes to others.
    pub relay_alpha_cycles: f64,
    /// α of a copy within one L1.
    pub copy_alpha_cycles: f64,
    /// α_c of additions by the cores.
    pub compute_alpha_cycles: f64,
    /// β_c.
    pub compute_beta_cycles_per_beat: f64,
    /// From being free to the start of a transfer.
    pub issue_cycles: f64,
    /// The same for a transfer of several lines.
    pub issue_lines_cycles: f64,
    /// How much earlier than a read's end the engine asks the next tile.
    pub reads_overlap_cycles: f64,
    /// From the end of a transfer until its cluster goes on.
    pub wait_cycles: f64,
    /// α of the network's barrier.
    pub barrier_alpha_cycles: f64,
    /// α of a delivery, from its start until its data lies at a destination, without a response.
    pub delivery_alpha_cycles: f64,
    /// α of an arrival, from the last member's first instruction until the root's word is set, without a response.
    pub arrival_alpha_cycles: f64,
    /// From a member's first instruction of an arrival until it goes on.
    pub enter_cycles: f64,
    /// From the end of a delivery or an arrival until a cluster that polls for it goes on.
    pub poll_cycles: f64,
    /// α of the network's reduction.
    pub reduction_alpha_cycles: f64,
    /// Registers on the path to and from the FPUs, per router that adds.
    pub cut_cycles: f64,
    /// One addition of 64-bit elements in a router.
    pub addition64_cycles: f64,
    /// One addition of 32-bit elements.
    pub addition32_cycles: f64,
    /// One addition of 16-bit elements.
    pub addition16_cycles: f64,
    /// One addition of 8-bit elements.
    pub addition8_cycles: f64,
    /// α of the software barrier.
    pub counter_alpha_cycles: f64,
    /// What each participant costs at the counter of a software barrier.
    pub counter_member_cycles: f64,
}

/// One of [`Constants`], by name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Constant {
    /// [`Constants::hop_cycles`].
    Hop,
    /// [`Constants::beta_cycles_per_beat`].
    Beta,
    /// [`Constants::pull_alpha_cycles`].
    PullAlpha,
    /// [`Constants::push_alpha_cycles`].
    PushAlpha,
    /// [`Constants::relay_alpha_cycles`].
    RelayAlpha,
    /// [`Constants::copy_alpha_cycles`].
    CopyAlpha,
    /// [`Constants::compute_alpha_cycles`].
    ComputeAlpha,
    /// [`Constants::compute_beta_cycles_per_beat`].
    ComputeBeta,
    /// [`Constants::issue_cycles`].
    Issue,
    /// [`Constants::issue_lines_cycles`].
    IssueLines,
    /// [`Constants::reads_overlap_cycles`].
    ReadsOverlap,
    /// [`Constants::wait_cycles`].
    Wait,
    /// [`Constants::barrier_alpha_cycles`].
    BarrierAlpha,
    /// [`Constants::delivery_alpha_cycles`].
    DeliveryAlpha,
    /// [`Constants::arrival_alpha_cycles`].
    ArrivalAlpha,
    /// [`Constants::enter_cycles`].
    Enter,
    /// [`Constants::poll_cycles`].
    Poll,
    /// [`Constants::reduction_alpha_cycles`].
    ReductionAlpha,
    /// [`Constants::cut_cycles`].
    Cut,
    /// [`Constants::addition64_cycles`].
    Addition64,
    /// [`Constants::addition32_cycles`].
    Addition32,
    /// [`Constants::addition16_cycles`].
    Addition16,
    /// [`Constants::addition8_cycles`].
    Addition8,
    /// [`Constants::counter_alpha_cycles`].
    CounterAlpha,
    /// [`Constants::counter_member_cycles`].
    CounterMember,
}

/// A family of runs from which some constants follow once those of the laws above it are known.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// α + γ h + β n.
    Transfer,
    /// α + β n within a cluster.
    Copy,
    /// α_c + β_c n.
    Compute,
    /// What stands between two actions of one cluster.
    Agent,
    /// α + γ h_max.
    Barrier,
    /// What a cluster notices without a response: α + γ/2 h.
    Notice,
    /// α + γ h + β n, and the additions of the routers on the longest path.
    Reduction,
    /// α + γ h_max, and a cost per participant.
    Counter,
}

impl Law {
    /// All laws in the order in which they are fitted.
    pub const ALL: [Law; 8] = [
        Law::Transfer,
        Law::Copy,
        Law::Compute,
        Law::Agent,
        Law::Barrier,
        Law::Notice,
        Law::Reduction,
        Law::Counter,
    ];

    /// The constants that the runs of this law determine.
    #[must_use]
    pub const fn constants(self) -> &'static [Constant] {
        use Constant as C;
        match self {
            Law::Transfer => &[C::Hop, C::Beta, C::PullAlpha, C::PushAlpha, C::RelayAlpha],
            Law::Copy => &[C::CopyAlpha],
            Law::Compute => &[C::ComputeAlpha, C::ComputeBeta],
            Law::Agent => &[C::Issue, C::IssueLines, C::ReadsOverlap, C::Wait],
            Law::Barrier => &[C::BarrierAlpha],
            Law::Notice => &[C::DeliveryAlpha, C::ArrivalAlpha, C::Enter, C::Poll],
            Law::Reduction => &[
                C::ReductionAlpha,
                C::Cut,
                C::Addition64,
                C::Addition32,
                C::Addition16,
                C::Addition8,
            ],
            Law::Counter => &[C::CounterAlpha, C::CounterMember],
        }
    }
}

impl Constant {
    /// Name of the field that holds it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Constant::Hop => "hop_cycles",
            Constant::Beta => "beta_cycles_per_beat",
            Constant::PullAlpha => "pull_alpha_cycles",
            Constant::PushAlpha => "push_alpha_cycles",
            Constant::RelayAlpha => "relay_alpha_cycles",
            Constant::CopyAlpha => "copy_alpha_cycles",
            Constant::ComputeAlpha => "compute_alpha_cycles",
            Constant::ComputeBeta => "compute_beta_cycles_per_beat",
            Constant::Issue => "issue_cycles",
            Constant::IssueLines => "issue_lines_cycles",
            Constant::ReadsOverlap => "reads_overlap_cycles",
            Constant::Wait => "wait_cycles",
            Constant::BarrierAlpha => "barrier_alpha_cycles",
            Constant::DeliveryAlpha => "delivery_alpha_cycles",
            Constant::ArrivalAlpha => "arrival_alpha_cycles",
            Constant::Enter => "enter_cycles",
            Constant::Poll => "poll_cycles",
            Constant::ReductionAlpha => "reduction_alpha_cycles",
            Constant::Cut => "cut_cycles",
            Constant::Addition64 => "addition64_cycles",
            Constant::Addition32 => "addition32_cycles",
            Constant::Addition16 => "addition16_cycles",
            Constant::Addition8 => "addition8_cycles",
            Constant::CounterAlpha => "counter_alpha_cycles",
            Constant::CounterMember => "counter_member_cycles",
        }
    }
}

impl Constants {
    /// A constant by name.
    #[must_use]
    pub const fn value(&self, constant: Constant) -> f64 {
        let mut copy = *self;
        *copy.slot(constant)
    }

    /// Where a constant stands.
    pub(crate) const fn slot(&mut self, constant: Constant) -> &mut f64 {
        match constant {
            Constant::Hop => &mut self.hop_cycles,
            Constant::Beta => &mut self.beta_cycles_per_beat,
            Constant::PullAlpha => &mut self.pull_alpha_cycles,
            Constant::PushAlpha => &mut self.push_alpha_cycles,
            Constant::RelayAlpha => &mut self.relay_alpha_cycles,
            Constant::CopyAlpha => &mut self.copy_alpha_cycles,
            Constant::ComputeAlpha => &mut self.compute_alpha_cycles,
            Constant::ComputeBeta => &mut self.compute_beta_cycles_per_beat,
            Constant::Issue => &mut self.issue_cycles,
            Constant::IssueLines => &mut self.issue_lines_cycles,
            Constant::ReadsOverlap => &mut self.reads_overlap_cycles,
            Constant::Wait => &mut self.wait_cycles,
            Constant::BarrierAlpha => &mut self.barrier_alpha_cycles,
            Constant::DeliveryAlpha => &mut self.delivery_alpha_cycles,
            Constant::ArrivalAlpha => &mut self.arrival_alpha_cycles,
            Constant::Enter => &mut self.enter_cycles,
            Constant::Poll => &mut self.poll_cycles,
            Constant::ReductionAlpha => &mut self.reduction_alpha_cycles,
            Constant::Cut => &mut self.cut_cycles,
            Constant::Addition64 => &mut self.addition64_cycles,
            Constant::Addition32 => &mut self.addition32_cycles,
            Constant::Addition16 => &mut self.addition16_cycles,
            Constant::Addition8 => &mut self.addition8_cycles,
            Constant::CounterAlpha => &mut self.counter_alpha_cycles,
            Constant::CounterMember => &mut self.counter_member_cycles,
        }
    }

    /// One addition in a router, by the element's width.
    #[must_use]
    pub const fn addition_cycles(&self, element_bytes: u64) -> f64 {
        match element_bytes {
            1 => self.addition8_cycles,
            2 => self.addition16_cycles,
            4 => self.addition32_cycles,
            _ => self.addition64_cycles,
        }
    }

    /// Latency of a router that adds that many operands, one after the other; none for a single one.
    #[must_use]
    pub fn merge_cycles(&self, kind: WideReductionKind, operands: u32, element_bytes: u64) -> f64 {
        if operands < 2 {
            return 0.0;
        }
        self.cut_cycles * f64::from(passes(kind, operands))
            + f64::from(operands - 1) * self.addition_cycles(element_bytes)
    }
}

/// How often a beat of that many operands is read from the store: sums of two or three go back into it while operands are left.
pub(crate) const fn passes(kind: WideReductionKind, operands: u32) -> u32 {
    match kind {
        WideReductionKind::TwoOperand if operands > 2 => operands - 1,
        WideReductionKind::ThreeOperand if operands > 3 => 2,
        WideReductionKind::ThreeOperand | WideReductionKind::TwoOperand => 1,
    }
}

/// What a beat of two passes waits in the mean, where an addition takes several cycles: between passes the store takes a
/// partial sum where an operand wants to come in. Measured, not derived: `docs/model.md` has the runs.
const PARTIAL_SUM_WAIT_CYCLES: f64 = 0.18;

/// Cycles per beat of a router that adds that many operands: as many additions one after the other as its unit
/// cannot do at once, and what partial sums wait.
pub(crate) fn cycles_per_beat(kind: WideReductionKind, operands: u32, addition_cycles: f64) -> f64 {
    let additions = match operands {
        0..=2 => 1,
        _ => operands - 1,
    };
    match kind {
        WideReductionKind::TwoOperand => f64::from(additions),
        WideReductionKind::ThreeOperand if additions <= 2 => 1.0,
        WideReductionKind::ThreeOperand => {
            let waits = addition_cycles > 1.0;
            f64::from(additions.div_ceil(2)) + f64::from(u8::from(waits)) * PARTIAL_SUM_WAIT_CYCLES
        }
    }
}
