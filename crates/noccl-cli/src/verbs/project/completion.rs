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
        let mut text = with_files(shell, &String::from_utf8_lossy(&text));
        if shell == Shell::Fish {
            text.push_str(&values_in_fish(&command));
        }
        output::data(&text)?;
        Ok(Outcome::Fine)
    }
}

/// The command line with the names of collectives and presets as values: verbs read them by a function, which lists none.
fn with_names(command: Command) -> Command {
    let with_values = |argument: Arg| match argument.get_id().as_str() {
        "collective" if argument.is_positional() => {
            let names = CollectiveKind::ALL.map(|kind| kind.class().name);
            argument.value_parser(PossibleValuesParser::new(names))
        }
        "spec" => {
            let names = noccl::network::preset_names().iter().copied();
            argument.value_parser(PossibleValuesParser::new(names))
        }
        _ => argument,
    };
    command.mut_args(with_values).mut_subcommands(with_names)
}

/// The script with files in addition to presets, where it offers presets alone: a network may be a file.
fn with_files(shell: Shell, text: &str) -> String {
    let names = noccl::network::preset_names().join(" ");
    match shell {
        Shell::Zsh => text.replace(
            &format!(":({names})"),
            &format!(":{{compadd -- {names}; _files}}"),
        ),
        Shell::Fish => {
            let line = |line: &str| {
                let is_spec = line.contains(" -l spec ");
                let line = if is_spec {
                    line.replace(" -r -f ", " -r -F ")
                } else {
                    line.to_owned()
                };
                line + "\n"
            };
            text.lines().map(line).collect()
        }
        Shell::Bash | Shell::Elvish | Shell::PowerShell | _ => text.replace(
            &format!("compgen -W \"{names}\""),
            &format!("compgen -f -W \"{names}\""),
        ),
    }
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
