// Starts `wherefrom lsp` and shows which node it compiles for. All answers are the server's.
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

interface Status {
  place: string;
  node: string | null;
  nodes: string[];
  facts: Record<string, unknown>;
  state: string;
  message: string;
}

const LANGUAGES = ["puppet", "epp", "smartfrog", "nix", "yaml", "erb"];
let client: LanguageClient | undefined;
let last: Status | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("wherefrom");
  const [command, ...args] = settings.get<string[]>("command") ?? ["wherefrom", "lsp"];
  if (!command) return;
  const item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  item.command = "wherefrom.chooseNode";
  context.subscriptions.push(item);
  client = new LanguageClient(
    "wherefrom",
    "wherefrom",
    { command, args, transport: TransportKind.stdio },
    {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      initializationOptions: {
        trusted: vscode.workspace.isTrusted,
        node: settings.get<string>("node") || undefined,
        commands: ["wherefrom/install"],
      },
      synchronize: {
        configurationSection: "wherefrom",
        fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{pp,epp,erb,yaml,sf,nix,toml,conf}"),
      },
    },
  );
  client.onNotification("wherefrom/status", (status: Status) => {
    last = status;
    const facts = Object.keys(status.facts).length ? " (facts supposed)" : "";
    const mark = status.state === "compiling" ? "$(sync~spin) " : status.state === "failed" ? "$(error) " : "";
    item.text = `${mark}${status.node ?? "wherefrom"}${facts}`;
    item.tooltip = status.message || `${status.place}: ${status.state}`;
    item.show();
  });
  context.subscriptions.push(
    vscode.commands.registerCommand("wherefrom.chooseNode", chooseNode),
    vscode.commands.registerCommand("wherefrom.supposeFact", supposeFact),
    vscode.commands.registerCommand("wherefrom/install", install),
    vscode.workspace.onDidGrantWorkspaceTrust(async () => {
      await client?.stop();
      await activate(context);
    }),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function chooseNode(): Promise<void> {
  const status = last;
  if (!status) return;
  const node = await vscode.window.showQuickPick(status.nodes, { placeHolder: status.node ?? "the node" });
  if (node) await ask("wherefrom/node", status.place, node);
}

async function supposeFact(): Promise<void> {
  const status = last;
  if (!status) return;
  const words = await vscode.window.showInputBox({ prompt: "NAME=VALUE, or nothing: facts as they are", placeHolder: "os.family=RedHat" });
  if (words === undefined) return;
  const at = words.indexOf("=");
  const facts = at > 0 ? { ...status.facts, [words.slice(0, at)]: words.slice(at + 1) } : {};
  await ask("wherefrom/facts", status.place, facts);
}

// The command is written into a terminal, and started by whoever reads it there.
function install(place: string, command: string): void {
  const terminal = vscode.window.createTerminal({ name: "wherefrom", cwd: place });
  terminal.show();
  terminal.sendText(command, false);
}

async function ask(command: string, ...args: unknown[]): Promise<void> {
  await client?.sendRequest("workspace/executeCommand", { command, arguments: args });
}
