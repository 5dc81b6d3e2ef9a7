// The middle column: a resource (or a composite value) with its attributes, and of the chosen one all that its value is.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAnswer, useShared } from "./context";
import type { Definition, Explanation, Fragment, Json, Leaf, Place, Term } from "./data";
import { type Attribute, type Item, leafTarget, located, placeText, shown } from "./model";
import { go } from "./state";
import { Chip, PlaceLink, Section, Trouble, Value } from "./words";

export function Catalog({ path, onGo }: { path: string; onGo: (place: Place) => void }) {
  const { model } = useShared();
  const here = useMemo(() => located(model, path), [model, path]);
  if (!path) return <Overview />;
  if (!here) return <Missing path={path} onGo={onGo} />;
  return <Shown item={here.item} attribute={here.attribute} path={path} onGo={onGo} />;
}

function Overview() {
  const { model, subject, node, inputs } = useShared();
  const logs = useAnswer<{ logs: [string, string][] }>("logs");
  const told = (logs.value?.logs ?? []).filter(([level]) => level !== "debug" && level !== "info");
  return (
    <main class="middle" tabIndex={-1}>
      <h1>{node || subject.title}</h1>
      <p class="sub">
        {subject.title} · {model.items.length} {subject.language === "puppet" ? "resources" : "composite values"} · {inputs.length} inputs
      </p>
      <p class="hint">
        Choose something on the left, or press <kbd>/</kbd> and type. <kbd>?</kbd> lists the keys.
      </p>
      {subject.language === "puppet" ? (
        <Section title="by type">
          <ul class="counts">
            {[...model.types].map(([type, items]) => (
              <li key={type}>
                <button class="quiet" onClick={() => go("catalog", items[0]!.path)}>
                  {type}
                </button>
                <span class="note">{items.length}</span>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {told.length ? (
        <Section title="it says">
          <ul class="logs">
            {told.map(([level, message]) => (
              <li>
                <span class={`level ${level}`}>{level}</span> {message}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </main>
  );
}

function Missing({ path, onGo }: { path: string; onGo: (place: Place) => void }) {
  const { documents, node } = useShared();
  const asked = documents.has("missing", { node, path }) ? "missing" : null;
  const missing = useAnswer<{ reasons: ({ message: string; help?: string } & Place)[] }>(asked, { path });
  return (
    <main class="middle" tabIndex={-1}>
      <h1>{path}</h1>
      <p class="sub">is not here</p>
      {missing.value?.reasons.map((reason) => (
        <div class="reason">
          {reason.message} <PlaceLink place={reason} onGo={onGo} />
        </div>
      ))}
      {missing.value && !missing.value.reasons.length ? <p>Nothing in these sources declares it.</p> : null}
    </main>
  );
}

function Shown({ item, attribute, path, onGo }: { item: Item; attribute: Attribute | null; path: string; onGo: (place: Place) => void }) {
  const { lit, model, subject } = useShared();
  const puppet = subject.language === "puppet";
  const existence = useAnswer<Explanation>(puppet ? "explain" : null, { path: item.path });
  const because = existence.value?.decisions ?? [];
  const container = item.container !== null ? model.byPath.get(item.container) : undefined;
  return (
    <main class="middle" tabIndex={-1}>
      <h1>{item.path || item.label}</h1>
      <p class="sub">
        {container ? (
          <>
            in{" "}
            <button class="quiet" onClick={() => go("catalog", container.path)}>
              {container.label}
            </button>
          </>
        ) : null}
        {item.file ? (
          <>
            {container ? " · " : ""}declared at <PlaceLink place={item} onGo={onGo} />
          </>
        ) : null}
        {because[0] ? (
          <>
            {container || item.file ? " · " : ""}because <code>{because[0].text}</code>
          </>
        ) : null}
      </p>
      <table class="attributes">
        <caption class="unseen">attributes of {item.path}</caption>
        <tbody>
          {item.attributes.map((each) => (
            <AttributeRow
              key={each.path}
              attribute={each}
              chosen={each === attribute}
              className={!lit ? "" : lit.attributes.has(each.path) ? "lit" : "dimmed"}
            />
          ))}
        </tbody>
      </table>
      {!item.attributes.length ? <p class="hint">no attributes</p> : null}
      {attribute ? <Details path={path} onGo={onGo} /> : <Details path={item.path} onGo={onGo} />}
    </main>
  );
}

function AttributeRow({ attribute, chosen, className }: { attribute: Attribute; chosen: boolean; className: string }) {
  const answer = useAnswer<Explanation>("explain", { path: attribute.path });
  const place = answer.value ? editPlace(answer.value) : null;
  return (
    <tr class={`attribute ${chosen ? "selected" : ""} ${className}`}>
      <th scope="row">
        <button
          aria-pressed={chosen}
          onClick={() => go("catalog", attribute.path)}
          onKeyDown={(event) => {
            const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
            if (!step) return;
            const all = [...document.querySelectorAll<HTMLElement>(".attribute th button")];
            all[all.indexOf(event.currentTarget) + step]?.focus();
            event.preventDefault();
          }}
        >
          {attribute.name}
        </button>
      </th>
      <td onClick={() => go("catalog", attribute.path)}>
        <Value value={attribute.value} limit={160} />
      </td>
      <td class="from" title={place?.file}>{place ? placeText(place) : ""}</td>
    </tr>
  );
}

/** The place that one would edit. */
export function editPlace(explanation: Explanation): (Place & { text?: string }) | null {
  if (explanation.where?.line) return explanation.where;
  if (explanation.where && !explanation.where.file) return null;
  const template = templatePlace(explanation.expression);
  if (template) return template;
  const counting = explanation.option?.definitions.find(counts);
  return explanation.template ?? counting?.place ?? explanation.passed ?? explanation.chain.find((hand) => hand.line) ?? explanation.order?.[0] ?? null;
}

/** Whether an option's value is made of a definition. */
export function counts(definition: Definition): boolean {
  return definition.status === "chosen" || definition.status === "merged";
}

/** Of a rendered text, the template. */
function templatePlace(term: Term): Place | null {
  if (!("op" in term) || term.op !== "render") return null;
  const [parts] = term.args;
  const text = parts && "op" in parts ? parts.args.find((part): part is Leaf => "kind" in part && part.kind === "literal" && !!part.line) : undefined;
  return text ? { file: text.file, line: 1, column: 1 } : null;
}

function Details({ path, onGo }: { path: string; onGo: (place: Place) => void }) {
  const { subject } = useShared();
  const { value: explanation, problem } = useAnswer<Explanation>(path ? "explain" : null, { path });
  if (problem) return <Trouble problem={problem} />;
  if (!explanation) return null;
  const inner = parts(explanation.value);
  return (
    <>
      {typeof explanation.value === "string" ? <Text path={path} text={explanation.value} onGo={onGo} /> : null}
      {inner.length && subject.language === "puppet" ? (
        <Section title="elements">
          <ul class="elements">
            {inner.slice(0, 200).map(([step, value]) => (
              <li key={step}>
                <button class="quiet" onClick={() => go("catalog", `${explanation.path}${step}`)}>
                  {step}
                </button>{" "}
                <Value value={value} />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {explanation.ladder?.length ? (
        <Section title="data" exact={shown(explanation.value, 40)} note="each level, in the order asked">
          <table class="ladder">
            <tbody>
              {explanation.ladder.map((rung) => (
                <tr class={rung.status.replace(" ", "-")}>
                  <td>{rung.layer === "class" ? `default of ${rung.level}` : <PlaceLink place={rung} onGo={onGo} long />}</td>
                  <td>
                    {rung.value === undefined ? (
                      "–"
                    ) : rung.layer === "class" ? (
                      <s>
                        <Written text={String(rung.value)} />
                      </s>
                    ) : rung.status === "hidden" ? (
                      <s>
                        <Value value={rung.value} limit={80} />
                      </s>
                    ) : (
                      <Value value={rung.value} limit={80} />
                    )}
                  </td>
                  <td class="dim">
                    {rung.status}
                    {rung.layer === "class" ? (
                      <>
                        {" "}
                        <PlaceLink place={rung} onGo={onGo} />
                      </>
                    ) : (
                      ` · ${rung.level}`
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      ) : null}
      {explanation.hidden.length && !explanation.ladder?.length && !explanation.option ? (
        <Section title="hides">
          <ul class="hidden">
            {explanation.hidden.map((each) => (
              <li>
                <s>
                  <Value value={each.value} limit={80} />
                </s>{" "}
                <span class="dim">{each.why}</span> <PlaceLink place={each} onGo={onGo} />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {explanation.option ? <OptionTable option={explanation.option} onGo={onGo} /> : null}
      {explanation.options?.length ? (
        <Section title="options">
          <ul class="elements">
            {explanation.options.map((option) => (
              <li>
                <span class="dim">{option.path}</span> <Value value={option.value} limit={60} />{" "}
                {option.definitions.map((place) => (
                  <PlaceLink place={place} onGo={onGo} />
                ))}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {explanation.order && explanation.order.length > 1 ? (
        <Section title="order of attributes" note="and what put each in its place">
          <ol class="order">
            {explanation.order.map((position) => (
              <li>
                <code>{position.key}</code> <PlaceLink place={position} onGo={onGo} />
                <ul>
                  {position.because.map((hand) => (
                    <li>
                      {hand.how} <PlaceLink place={hand} onGo={onGo} />
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </Section>
      ) : null}
    </>
  );
}

function parts(value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.map((item, index) => [`[${index}]`, item]);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).map(([key, item]) => [/^[^.[\]\s'"]+$/.test(key) ? `.${key}` : `['${key}']`, item]);
}

function OptionTable({ option, onGo }: { option: NonNullable<Explanation["option"]>; onGo: (place: Place) => void }) {
  const rank = ["chosen", "merged", "hidden", "inactive"];
  const rows = [...option.definitions].sort((a, b) => rank.indexOf(a.status) - rank.indexOf(b.status));
  return (
    <Section title="definitions of" exact={option.path} note={option.type}>
      {option.description ? <p class="dim">{option.description}</p> : null}
      <table class="ladder definitions">
        <tbody>
          {rows.map((row) => (
            <tr class={row.status}>
              <td>
                <span class={`status ${row.status}`}>{row.status}</span>
              </td>
              <td>
                {counts(row) ? (
                  <Value value={row.value} limit={80} />
                ) : (
                  <s>
                    <Value value={row.value ?? row.text} limit={80} />
                  </s>
                )}
                {row.conditions?.map((condition) => (
                  <div class="dim">
                    if <code>{condition.text}</code> is {shown(condition.value)} {condition.place ? <PlaceLink place={condition.place} onGo={onGo} /> : null}
                  </div>
                ))}
              </td>
              <td class="dim">
                {words(row)} {row.place ? <PlaceLink place={row.place} onGo={onGo} /> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {option.parts?.length ? (
        <ol class="elements" start={0}>
          {option.parts.map((part) => (
            <li>
              <code>{typeof part.key === "number" ? `[${part.key}]` : part.key}</code> <Value value={part.value} limit={60} />{" "}
              <PlaceLink place={part} onGo={onGo} />
            </li>
          ))}
        </ol>
      ) : null}
    </Section>
  );
}

function words(row: Definition): string {
  const said = [row.words, row.priority !== 100 ? `priority ${row.priority}` : "", row.order_words, row.order ? `order ${row.order}` : "", row.via ? `set as ${row.via}` : ""];
  return said.filter(Boolean).join(", ");
}

/** A text, each stretch of it tinted by its origin. */
function Text({ path, text, onGo }: { path: string; text: string; onGo: (place: Place) => void }) {
  const { documents, node, pick } = useShared();
  const asked = documents.has("fragments", { node, path }) ? "fragments" : null;
  const { value } = useAnswer<{ fragments: Fragment[] }>(asked, { path });
  const [pointed, setPointed] = useState<Fragment | null>(null);
  useEffect(() => setPointed(null), [path]);
  const fragments = value?.fragments ?? [];
  if (fragments.length < 2 && !text.includes("\n")) return null;
  const pieces: Fragment[] = fragments.length ? fragments : [{ text, kind: "", depends: [] }];
  const kinds = [...new Set(pieces.map((piece) => piece.kind))].filter(Boolean);
  return (
    <Section title="the text" note={fragments.length > 1 ? `${fragments.length} fragments · point at one to see where it came from` : undefined}>
      <pre class="text" tabIndex={0}>
        {pieces.map((piece) => {
          const place = piece.where?.line ? piece.where : piece.line ? piece : null;
          const act = (): void => {
            if (place) onGo(place);
            else if (piece.where) pick(leafTarget(piece.where));
          };
          return (
            // No button: the words of one would not break across lines.
            <span role="button" tabIndex={0} class={`fragment kind-${piece.kind}`} title={fragmentTitle(piece)} onMouseEnter={() => setPointed(piece)} onFocus={() => setPointed(piece)} onClick={act} onKeyDown={(event) => event.key === "Enter" && act()}>
              {piece.text}
            </span>
          );
        })}
      </pre>
      {pointed ? <FragmentNote piece={pointed} onGo={onGo} /> : null}
      {kinds.length > 1 ? (
        <p class="legend">
          {kinds.map((kind) => (
            <span class={`fragment kind-${kind}`}>{FRAGMENT_WORDS[kind] ?? kind}</span>
          ))}
        </p>
      ) : null}
      {fragments.length > 1 ? (
        <details class="inputs-of-text">
          <summary>inputs of this text</summary>
          <p class="chips">
            {unique(pieces.flatMap((piece) => (piece.where ? [piece.where] : piece.depends)))
              .filter((leaf) => leaf.kind !== "literal")
              .map((leaf) => (
                <Chip leaf={leaf} />
              ))}
          </p>
        </details>
      ) : null}
    </Section>
  );
}

/** Where the fragment that is pointed at came from: the line of the template, and its inputs. */
function FragmentNote({ piece, onGo }: { piece: Fragment; onGo: (place: Place) => void }) {
  const place: Place = piece.where?.line ? piece.where : piece;
  const source = useAnswer<{ text: string }>(place.file && place.line ? "source" : null, place.file ? { file: place.file } : {});
  // The text of a template begins at the end of the line before it.
  const skip = piece.where?.kind === "literal" && piece.where.text?.startsWith("\n") && piece.text[0] !== "\n" ? 1 : 0;
  const line = (place.line ?? 0) + skip;
  const written = source.value?.text.split("\n")[line - 1];
  const inputs = piece.where && piece.where.kind !== "literal" ? [piece.where] : piece.depends;
  return (
    <div class="fragment-note" role="status">
      <code>{shown(piece.text, 60)}</code> {place.line ? <PlaceLink place={{ ...place, line }} onGo={onGo} /> : null}
      {written !== undefined ? <pre>{written}</pre> : null}
      {inputs.length ? (
        <span class="chips">
          {inputs.slice(0, 6).map((leaf) => (
            <Chip leaf={leaf} />
          ))}
        </span>
      ) : null}
    </div>
  );
}

const FRAGMENT_WORDS: Record<string, string> = { literal: "template or literal", hiera: "data", fact: "fact", computed: "computed" };

function fragmentTitle(piece: Fragment): string {
  const place = piece.where?.line ? piece.where : piece;
  const lines = [place.file ? `${place.file}${place.line ? `:${place.line}` : ""}` : ""];
  if (piece.where && piece.where.kind !== "literal") lines.push(`${piece.where.kind} ${piece.where.name ?? piece.where.key ?? ""}`);
  if (piece.formula) lines.push(piece.formula);
  if (piece.depends.length) lines.push(`inputs: ${piece.depends.slice(0, 8).map((leaf) => leaf.name ?? leaf.key ?? leaf.kind).join(", ")}`);
  return lines.filter(Boolean).join("\n");
}

function unique<T>(items: T[]): T[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...seen.values()];
}

/** A default as it is written; a literal text, number or truth value looks as those of the other levels do. */
function Written({ text }: { text: string }) {
  const quoted = /^(['"])([^'"\\$]*)\1$/.exec(text);
  return quoted ? <Value value={quoted[2]} limit={80} /> : <code class="value">{text}</code>;
}
