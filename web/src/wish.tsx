// A field beside a value: what it should be, and the edits that make it so. The page writes nothing.
import { useEffect, useState } from "preact/hooks";
import { type Answer, refused, useShared } from "./context";
import type { Json, Proposal, Wishes } from "./data";
import { shown } from "./model";
import { Section } from "./words";

export function Wish({ path, value }: { path: string; value: Json }) {
  const { documents, node, version } = useShared();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Answer<Wishes> | null>(null);
  // The path changes before the answer about it is there, so the value counts too.
  const now = typeof value === "object" || value === null ? "" : String(value);
  useEffect(() => {
    setText(now);
    setAnswer(null);
  }, [path, node, version, now]);
  const ask = (event: Event) => {
    event.preventDefault();
    setAnswer({ waiting: true });
    documents.ask<Wishes>("set", { node, path, value: text }).then(
      (document) => setAnswer({ value: document, waiting: false }),
      (problem: unknown) => setAnswer({ problem: refused(problem), waiting: false }),
    );
  };
  return (
    <Section title="should be">
      <form class="wish" onSubmit={ask}>
        <input
          type="text"
          aria-label={`what ${path} should be`}
          placeholder={shown(value, 40)}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="tab" disabled={!text || answer?.waiting}>
          propose edits
        </button>
      </form>
      <div role="status">
        {answer?.waiting ? <p class="dim">compiling ...</p> : null}
        {answer?.problem ? <p class="dim">{answer.problem.message}</p> : null}
        {answer?.value ? <Proposals wishes={answer.value} /> : null}
      </div>
    </Section>
  );
}

function Proposals({ wishes }: { wishes: Wishes }) {
  const isSo = wishes.wishes.every((wish) => JSON.stringify(wish.value) === JSON.stringify(wish.wanted));
  if (isSo && !wishes.proposals.length) return <p class="dim">it already has this value</p>;
  return (
    <>
      {wishes.proposals.length ? null : <p class="dim">no edit of the files that may be written gives it this value</p>}
      <ol class="proposals">
        {wishes.proposals.map((proposal) => (
          <li key={proposal.patch}>
            <Edits proposal={proposal} />
          </li>
        ))}
      </ol>
      {wishes.obstacles.length ? (
        <>
          <p class="dim">not possible</p>
          <ul class="obstacles">
            {wishes.obstacles.map((obstacle) => (
              <li>
                <code>{obstacle.what}</code> <span class="dim">{obstacle.because}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </>
  );
}

function Edits({ proposal }: { proposal: Proposal }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(proposal.patch);
    setCopied(true);
  };
  return (
    <>
      <p>
        {[...new Set(proposal.kinds)].join(", ")}
        {proposal.sets.length ? <code> {proposal.sets.join(", ")}</code> : null}
      </p>
      {proposal.files.map((file) => (
        <>
          <p class="file-name">
            {file.file}
            {file.new ? " (new file)" : ""}
          </p>
          <pre class="patch">
            {file.lines.map((line) => (
              <span class={line.sign === "+" ? "added" : "removed"}>{`${line.sign} ${line.text}`}</span>
            ))}
          </pre>
        </>
      ))}
      <Reach where="here" paths={proposal.changes.map((change) => change.path)} />
      {proposal.nodes.map((each) => (
        <Reach where={`on ${each.node}`} paths={each.changes.map((change) => change.path)} />
      ))}
      {proposal.broken.map((each) => (
        <p>
          {each.node} does not compile any more: {each.message}
        </p>
      ))}
      <button class="quiet" onClick={copy}>
        {copied ? "copied" : "copy the patch"}
      </button>
    </>
  );
}

function Reach({ where, paths }: { where: string; paths: string[] }) {
  if (!paths.length) return null;
  return (
    <p class="dim" title={paths.join("\n")}>
      {where}: {paths.length === 1 ? "1 other output changes" : `${paths.length} other outputs change`}: {paths.slice(0, 3).join(", ")}
      {paths.length > 3 ? ", ..." : ""}
    </p>
  );
}
