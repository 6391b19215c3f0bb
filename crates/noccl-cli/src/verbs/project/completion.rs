// SPDX-License-Identifier: Apache-2.0
//! `noccl completion`

use crate::verbs::{Cli, Verb};
use crate::{Outcome, output};
use clap::Args;
use clap_complete::{Shell, generate};
use noccl::Error;

/// Print the completion of verbs and options for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(noccl completion bash)
  noccl completion zsh > ~/.zfunc/_noccl    # a folder of $fpath
  noccl completion fish > ~/.config/fish/completions/noccl.fish")]
pub struct Completion {
    /// bash, zsh or fish
    #[arg(value_name = "SHELL", value_parser = ["bash", "zsh", "fish"])]
    shell: String,
}

impl Verb for Completion {
    fn run(&self) -> Result<Outcome, Error> {
        let shell = match self.shell.as_str() {
            "zsh" => Shell::Zsh,
            "fish" => Shell::Fish,
            _ => Shell::Bash,
        };
        let mut text = Vec::new();
        generate(shell, &mut Cli::with_help(), "noccl", &mut text);
        output::data(&String::from_utf8_lossy(&text))?;
        Ok(Outcome::Fine)
    }
}
