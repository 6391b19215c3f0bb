// SPDX-License-Identifier: Apache-2.0
//! `noccl completion`

use crate::verbs::{Cli, Verb};
use crate::{Outcome, output};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command};
use clap_complete::{Shell, generate};
use noccl::Error;
use noccl::collective::CollectiveKind;

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
        let (mut command, mut text) = (with_names(Cli::with_help()), Vec::new());
        generate(shell, &mut command, "noccl", &mut text);
        let mut text = String::from_utf8_lossy(&text).into_owned();
        if shell == Shell::Fish {
            text.push_str(&values_in_fish(&command));
        }
        output::data(&text)?;
        Ok(Outcome::Fine)
    }
}

/// The command line with the names of collectives as values: verbs read them by a function, which lists none.
fn with_names(command: Command) -> Command {
    let names = CollectiveKind::ALL.map(|kind| kind.class().name);
    let takes_one = |verb: &&Command| {
        let mut positionals = verb.get_positionals();
        positionals.any(|argument| argument.get_id() == "collective")
    };
    let verbs: Vec<String> = command
        .get_subcommands()
        .filter(takes_one)
        .map(|verb| verb.get_name().to_owned())
        .collect();
    verbs.into_iter().fold(command, |command, verb| {
        command.mut_subcommand(verb, |verb| {
            verb.mut_arg("collective", |argument| {
                argument.value_parser(PossibleValuesParser::new(names))
            })
        })
    })
}

/// Values of positional arguments, which the generator for fish leaves out.
fn values_in_fish(command: &Command) -> String {
    let line = |verb: &Command| {
        let values = verb.get_positionals().flat_map(Arg::get_possible_values);
        let names: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        let (name, names) = (verb.get_name(), names.join(" "));
        let line = format!(
            "complete -c noccl -n \"__fish_noccl_using_subcommand {name}\" -a \"{names}\"\n"
        );
        (!names.is_empty()).then_some(line)
    };
    command.get_subcommands().filter_map(line).collect()
}
