import { ActionIcon, Button, Menu, TextInput, Tooltip } from '@mantine/core';
import {
  IconArrowsDiagonal,
  IconArrowsDiagonalMinimize2,
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconCopy,
  IconTextWrap,
} from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { formatNumber } from '../../lib/format-number.ts';
import { formatFull } from '../../lib/format-time.ts';
import { isJson, printJson, readWithDigits } from '../../lib/json-digits.ts';
import { toTypeScript } from '../../lib/json-type.ts';
import { memberAt, recognise, toJsonPath, toPointer } from '../../lib/recognised-value.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import { PartLoading } from '../page/PartLoading.tsx';
import { useCopied } from '../use-copied.ts';
import type { JsonCommands, JsonCursor, JsonMatches } from './JsonEditorView.tsx';
import classes from './JsonViewer.module.css';
import { JsonCopies } from './WholeJson.tsx';

const JsonEditorView = lazy(async () => ({ default: (await import('./JsonEditorView.tsx')).JsonEditorView }));

const WRAPPED_AS = 'json.wrap';

interface JsonViewerProps {
  /** JSON text. */
  json: string;
  /** "record" in "Copy record". */
  label: string;
  /** Maximum height in pixels. */
  height?: number;
  /** Without search, in a place that has little room or little to find. */
  isPlain?: boolean;
}

/** A viewer for JSON of any size: folded, searchable, and with details of the value at the cursor on request. */
export function JsonViewer({ json, label, height = 480, isPlain = false }: JsonViewerProps) {
  const printed = usePrintedJson(json);
  const [search, setSearch] = useState('');
  const [matches, setMatches] = useState<JsonMatches>({ count: 0, at: 0 });
  const [isWrapped, setWrapped] = useState(() => readStored(WRAPPED_AS, true));
  const [cursor, setCursor] = useState<JsonCursor>();
  const [commands, setCommands] = useState<JsonCommands>();
  if (!printed) return <p className="faint">Formatting {formatNumber(Math.round(json.length / 1000))} kB…</p>;
  const { text, isCut } = printed;
  const copies = <JsonCopies text={text} label={label} isCut={isCut} />;
  const tools = [
    { label: 'Previous match', icon: IconChevronUp, run: () => commands?.findNext(-1), isOff: matches.count === 0 },
    { label: 'Next match', icon: IconChevronDown, run: () => commands?.findNext(1), isOff: matches.count === 0 },
    { label: 'Fold all', icon: IconArrowsDiagonalMinimize2, run: () => commands?.foldAll(), isOff: false },
    { label: 'Unfold all', icon: IconArrowsDiagonal, run: () => commands?.unfoldAll(), isOff: false },
  ];
  return (
    <section className={`frame ${classes['viewer']}`} aria-label={label}>
      {isPlain ? (
        <div className={`row gap-0 ${classes['over']}`}>{copies}</div>
      ) : (
        <div className={`row gap-4 wrap small line-below ${classes['bar']}`} style={{ padding: '6px 8px' }}>
          <TextInput
            size="xs"
            style={{ flex: '1 1 72px', maxWidth: 180, marginRight: 4 }}
            aria-label={`Search ${label}`}
            placeholder="Search"
            value={search}
            spellCheck={false}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') commands?.findNext(event.shiftKey ? -1 : 1);
              else if (event.key === 'Escape' && search !== '') setSearch('');
              else return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
          <span className="faint" role="status">
            {search !== '' && `${formatNumber(matches.at)} of ${formatNumber(matches.count)}`}
          </span>
          <span style={{ flex: 1 }} />
          {tools.map((tool) => (
            <Tooltip key={tool.label} label={tool.label}>
              <ActionIcon size={24} aria-label={`${tool.label}: ${label}`} disabled={tool.isOff} onClick={tool.run}>
                <tool.icon size={14} stroke={1.6} aria-hidden />
              </ActionIcon>
            </Tooltip>
          ))}
          <Tooltip label="Wrap long lines">
            <ActionIcon
              size={24}
              aria-label={`Wrap long lines: ${label}`}
              aria-pressed={isWrapped}
              className={classes['wrap'] ?? ''}
              onClick={() => {
                setWrapped(!isWrapped);
                writeStored(WRAPPED_AS, !isWrapped);
              }}
            >
              <IconTextWrap size={14} stroke={1.6} aria-hidden />
            </ActionIcon>
          </Tooltip>
          {copies}
        </div>
      )}
      {isCut && (
        <p className="warn small" style={{ padding: '6px 12px' }}>
          {formatNumber(Math.round(json.length / 1_000_000))} MB are too large to show; this is the first megabyte.
        </p>
      )}
      <div style={{ height: heightOf(text, height) }}>
        <Suspense fallback={<PartLoading />}>
          <JsonEditorView
            text={text}
            label={label}
            search={search}
            isWrapped={isWrapped && !isPlain}
            isPlain={isPlain}
            onMatches={setMatches}
            onCursor={setCursor}
            onReady={setCommands}
          />
        </Suspense>
      </div>
      {cursor && <CursorBar key={cursor.line} cursor={cursor} label={label} json={isCut ? undefined : text} />}
    </section>
  );
}

const LINE = 20;

/** As high as its lines, up to the maximum. */
function heightOf(text: string, most: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines * LINE < most; at = text.indexOf('\n', at + 1)) lines += 1;
  return Math.min(lines * LINE + 18, most);
}

/** Path of the line at the cursor; dates in local time; tokens only on request. */
function CursorBar({ cursor, label, json }: { cursor: JsonCursor; label: string; json: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const found = recognise(cursor.value);
  const decoded = found?.kind === 'token' ? JSON.stringify(found, null, 2) : found?.kind === 'base64' ? found.text : '';
  return (
    <div className="row wrap soft small line-above" style={{ gap: '4px 8px', padding: '4px 8px 4px 12px' }}>
      <code className="cut">{toPointer(cursor.path) || '/'}</code>
      <CopyFromLine cursor={cursor} label={label} json={json} />
      {found?.kind === 'date' && <span>{formatFull(found.iso)}</span>}
      {decoded !== '' && (
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {found?.kind === 'token' ? 'Decode token' : 'Decode base64'}
        </Button>
      )}
      {isOpen && <pre className={`scroll breaks pre-wrap ${classes['decoded']}`}>{decoded}</pre>}
    </div>
  );
}

/** The value at the cursor with everything inside it, and its path. */
function CopyFromLine({ cursor, label, json }: { cursor: JsonCursor; label: string; json: string | undefined }) {
  const { isCopied, copy } = useCopied();
  const { path } = cursor;
  const value = (): unknown => memberAt(parsed(json ?? ''), path);
  const name = path.findLast((part) => typeof part === 'string') ?? label;
  const choices = [
    {
      title: 'Value',
      make: () => JSON.stringify(memberAt(readWithDigits(json ?? 'null'), path), null, 2) ?? '',
      needsAll: true,
    },
    { title: 'JSON Pointer', make: () => toPointer(path), needsAll: false },
    { title: 'JSONPath', make: () => toJsonPath(path), needsAll: false },
    { title: 'TypeScript type', make: () => toTypeScript(value(), name), needsAll: true },
  ];
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <Menu position="top-start" width={180}>
      <Menu.Target>
        <Button size="compact-xs" variant="default" leftSection={<Icon size={14} stroke={1.6} aria-hidden />}>
          <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ title, make, needsAll }) => (
          <Menu.Item key={title} disabled={needsAll && json === undefined} onClick={() => void copy(make())}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Undefined when the text is not JSON. */
const parsed = (json: string): unknown => (isJson(json) ? JSON.parse(json) : undefined);

/** Shorter texts are formatted at once: starting a worker would take longer. */
const AT_ONCE_CHARACTERS = 100_000;
/** Longer texts are cut: an editor and the clipboard would hold several copies. */
const MAX_CHARACTERS = 20_000_000;
const CUT_CHARACTERS = 1_000_000;

interface PrintedJson {
  text: string;
  /** Only the beginning, not formatted. */
  isCut: boolean;
}

/** A document with an indentation of two spaces; undefined while a worker formats it. */
function usePrintedJson(json: string): PrintedJson | undefined {
  const isCut = json.length > MAX_CHARACTERS;
  const isShort = json.length <= AT_ONCE_CHARACTERS;
  const [printed, setPrinted] = useState<{ of: string; text: string }>();
  useEffect(() => {
    if (isShort || isCut) return;
    const worker = new Worker(new URL('./json-format-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<string>) => setPrinted({ of: json, text: data }));
    worker.postMessage(json);
    return () => worker.terminate();
  }, [json, isShort, isCut]);
  if (isCut) return { text: json.slice(0, CUT_CHARACTERS), isCut };
  if (isShort) return { text: printJson(json), isCut };
  return printed?.of === json ? { text: printed.text, isCut } : undefined;
}
