// An editor with the language client of Visual Studio Code, as its own code draws hovers, hints and marks.
// Messages go to the test by a function that it puts into the page (`toServer`), and come by `fromServer`.
import { EditorApp } from "monaco-languageclient/editorApp";
import { LanguageClientWrapper } from "monaco-languageclient/lcwrapper";
import { MonacoVscodeApiWrapper } from "monaco-languageclient/vscodeApiWrapper";
import { AbstractMessageReader, AbstractMessageWriter, type DataCallback, type Disposable, type Message } from "vscode-languageclient/browser.js";

interface Page extends Window {
  toServer(text: string): Promise<void>;
  fromServer(text: string): void;
  begin(folder: string, file: string, text: string, node: string): Promise<void>;
}

const page = window as unknown as Page;
let take: DataCallback = () => undefined;

class Reader extends AbstractMessageReader {
  listen(callback: DataCallback): Disposable {
    take = callback;
    return { dispose: () => undefined };
  }
}

class Writer extends AbstractMessageWriter {
  async write(message: Message): Promise<void> {
    await page.toServer(JSON.stringify(message));
  }
  end(): void {
    return undefined;
  }
}

page.fromServer = (text) => take(JSON.parse(text) as Message);

page.begin = async (folder, file, text, node) => {
  const place = document.getElementById("editor")!;
  const api = new MonacoVscodeApiWrapper({
    $type: "classic",
    viewsConfig: { $type: "EditorService", htmlContainer: place },
    userConfiguration: { json: JSON.stringify({ "editor.inlayHints.enabled": "on", "editor.codeLens": true, "editor.minimap.enabled": false, "editor.semanticHighlighting.enabled": true }) },
    monacoWorkerFactory: () => {
      (self as unknown as { MonacoEnvironment: object }).MonacoEnvironment = { ...((self as unknown as { MonacoEnvironment?: object }).MonacoEnvironment ?? {}), getWorker: () => new Worker("worker.js") };
    },
  });
  await api.start();
  const client = new LanguageClientWrapper({
    languageId: "puppet",
    connection: { options: { $type: "WorkerDirect", worker: undefined as unknown as Worker }, messageTransports: { reader: new Reader(), writer: new Writer() } },
    clientOptions: {
      documentSelector: ["puppet"],
      initializationOptions: { node },
      workspaceFolder: { index: 0, name: "control", uri: (await import("vscode")).Uri.file(folder) },
    },
  });
  const app = new EditorApp({
    codeResources: { modified: { text, uri: `file://${folder}/${file}`, enforceLanguageId: "puppet" } },
    languageDef: { languageExtensionConfig: { id: "puppet", extensions: [".pp"] } },
    editorOptions: { hover: { enabled: "on", delay: 200 } as never, fontSize: 13, automaticLayout: true },
  });
  await app.start(place);
  await client.start();
};
