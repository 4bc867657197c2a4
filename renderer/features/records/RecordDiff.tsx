import { ActionIcon, SegmentedControl, Tooltip } from '@mantine/core';
import { IconArrowRight, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { RecordVersionChange } from '../../api/contract.ts';
import { recordDiffQueryOptions, type StreamRef, type VersionPair } from '../../api/records/records-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { toJsonPatch } from '../../lib/json-patch.ts';
import { readStored, writeStored } from '../../lib/stored.ts';
import classes from './RecordHistory.module.css';

const CodeDiff = lazy(async () => ({ default: (await import('../../components/code/CodeDiff.tsx')).CodeDiff }));

interface RecordDiffProps {
  connection: ConnectionRef;
  stream: StreamRef;
  recordId: string;
  pair: VersionPair;
  nameOf: (at: string) => string;
}

const VIEWS = { inline: 'Inline', split: 'Split', paths: 'Paths' } as const;
type View = keyof typeof VIEWS;
const STORED_AS = 'records.diff';

/** The changes between two versions: both texts side by side, or path by path. */
export function RecordDiff({ connection, stream, recordId, pair, nameOf }: RecordDiffProps) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(recordDiffQueryOptions(env, connection, stream, recordId, pair));
  const [view, setView] = useState<View>(() => readStored<View>(STORED_AS, 'inline'));
  const [step, setStep] = useState<{ by: 1 | -1 }>();
  const choose = (next: string): void => {
    setView(next as View);
    setStep(undefined);
    writeStored(STORED_AS, next);
  };
  return (
    <section aria-label="Changes">
      <header className="row wrap name" style={{ minHeight: 48, padding: '8px var(--hp-gutter)' }}>
        <span>{nameOf(pair.from)}</span>
        <IconArrowRight size={14} stroke={1.6} aria-label="to" />
        <span>{nameOf(pair.to)}</span>
        {data && data.changes.length > 0 && (
          <>
            <span className="soft right" style={{ flex: 1, fontWeight: 400 }}>
              {formatCount(data.changes.length, 'change')}
            </span>
            {view !== 'paths' && (
              <>
                <StepButton label="Previous change (p)" icon={IconChevronUp} onClick={() => setStep({ by: -1 })} />
                <StepButton label="Next change (n)" icon={IconChevronDown} onClick={() => setStep({ by: 1 })} />
              </>
            )}
            <CopyButton value={toJsonPatch(data.changes)} label="Copy as JSON Patch" />
            <SegmentedControl
              size="xs"
              aria-label="View of the changes"
              data={Object.entries(VIEWS).map(([value, label]) => ({ value, label }))}
              value={view}
              onChange={choose}
            />
          </>
        )}
      </header>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data &&
        (data.changes.length > 0 && view !== 'paths' ? (
          <div style={{ height: 420, borderBlock: '1px solid var(--hp-border)' }}>
            <Suspense fallback={<PartLoading />}>
              <CodeDiff
                before={JSON.stringify(data.from, null, 2)}
                after={JSON.stringify(data.to, null, 2)}
                label={`${nameOf(pair.from)} and ${nameOf(pair.to)}`}
                isJson
                isSplit={view === 'split'}
                step={step}
              />
            </Suspense>
          </div>
        ) : data.changes.length > 0 ? (
          <ul className="scroll" style={{ maxHeight: 420, borderBlock: '1px solid var(--hp-border)' }}>
            {data.changes.map((change) => (
              <Change key={change.path} change={change} />
            ))}
          </ul>
        ) : (
          <p className="soft" style={{ padding: '16px var(--hp-gutter)' }}>
            {data.from === null || data.to === null
              ? 'The content of one of these versions was pruned, so there is nothing to compare.'
              : 'The content is the same.'}
          </p>
        ))}
    </section>
  );
}

function StepButton(props: { label: string; icon: typeof IconChevronUp; onClick: () => void }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon size={24} aria-label={props.label} onClick={props.onClick}>
        <props.icon size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function Change({ change }: { change: RecordVersionChange }) {
  return (
    <li className={classes['change']}>
      <code
        className="soft small breaks"
        style={{ display: 'block', padding: '6px var(--hp-gutter) 4px', lineHeight: '20px' }}
      >
        {change.path || '/'}
      </code>
      {change.kind !== 'added' && <Side sign="−" name="Before" value={change.from} />}
      {change.kind !== 'removed' && <Side sign="+" name="After" value={change.to} />}
    </li>
  );
}

function Side({ sign, name, value }: { sign: '−' | '+'; name: string; value: unknown }) {
  return (
    <div className={`mono gutter flex gap-12 ${sign === '+' ? 'added' : 'removed'}`}>
      <span role="img" aria-label={name}>
        {sign}
      </span>
      <pre className="breaks pre-wrap" style={{ minWidth: 0 }}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </div>
  );
}
