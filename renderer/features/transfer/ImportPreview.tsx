import { Button, Checkbox, Group, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import type {
  ShownConflictRule,
  ShownTransferPart,
  ShownTransferSource,
  TransferPreviewResponse,
} from '../../api/contract.ts';
import { useImportTransfer } from '../../api/transfer/transfer-mutations.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { Section } from '../../components/page/Section.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import classes from './TransferPages.module.css';
import { TransferReport } from './TransferReport.tsx';
import { CONFLICT_RULES, KIND_NAMES, PARTS } from './transfer-choices.ts';

const SHOWN_ROWS = 200;

/** The parts that would be imported, a selection of them, and afterwards the results. */
export function ImportPreview(props: { preview: TransferPreviewResponse; source: ShownTransferSource }) {
  const { preview, source } = props;
  const [parts, setParts] = useState<ShownTransferPart[]>(PARTS.map(({ id }) => id).filter((id) => id !== 'settings'));
  const keys = useMemo(
    () => preview.rows.flatMap(({ kind, name }) => (kind === 'integration' ? [name] : [])),
    [preview],
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(keys));
  const [conflict, setConflict] = useState<ShownConflictRule>('skip');
  const run = useImportTransfer();
  const rows = preview.rows.filter(
    ({ kind, integration }) =>
      PARTS.some(({ id, kinds }) => parts.includes(id) && kinds.includes(kind)) &&
      (integration === null || !keys.includes(integration) || chosen.has(integration)),
  );
  const existing = rows.filter(({ exists, kind }) => exists && kind !== 'settings').length;
  const submit = (): void =>
    run.mutate({
      source,
      conflict,
      parts,
      ...(chosen.size === keys.length ? {} : { integrations: [...chosen] }),
    });
  if (run.data) return <TransferReport rows={run.data.data} name="import-report.json" />;
  return (
    <Section title={`From ${preview.origin}`}>
      <div className="flex wrap" style={{ gap: '16px 40px', marginBottom: 12 }}>
        <fieldset className="stack gap-8">
          <legend className="name pb-8">What</legend>
          {PARTS.map(({ id, label, kinds }) => (
            <Checkbox
              key={id}
              label={`${label} (${formatNumber(preview.rows.filter((row) => kinds.includes(row.kind)).length)})`}
              checked={parts.includes(id)}
              onChange={() => setParts(parts.includes(id) ? parts.filter((one) => one !== id) : [...parts, id])}
            />
          ))}
        </fieldset>
        {keys.length > 1 && (
          <fieldset className="stack gap-8">
            <legend className="name pb-8">Integrations</legend>
            <div className="stack gap-8 scroll" style={{ maxHeight: 160 }}>
              {keys.map((key) => (
                <Checkbox
                  key={key}
                  label={key}
                  checked={chosen.has(key)}
                  onChange={() => {
                    const next = new Set(chosen);
                    if (!next.delete(key)) next.add(key);
                    setChosen(next);
                  }}
                />
              ))}
            </div>
          </fieldset>
        )}
        <fieldset className="stack gap-8">
          <legend className="name pb-8">What exists already</legend>
          <SegmentedControl
            aria-label="What exists already"
            value={conflict}
            onChange={(next) => setConflict(next as ShownConflictRule)}
            data={CONFLICT_RULES.map(({ id, label }) => ({ value: id, label }))}
          />
          <p className="soft">{CONFLICT_RULES.find(({ id }) => id === conflict)?.text}</p>
        </fieldset>
      </div>
      {preview.effects.length > 0 && (
        <Banner tone="warn">This changes where data goes and what runs: {preview.effects.join('; ')}.</Banner>
      )}
      {preview.leftOut.length > 0 && (
        <p className="soft">
          {formatCount(preview.leftOut.length, 'secret part')} {preview.leftOut.length === 1 ? 'is' : 'are'} not in it.
          {preview.hasSecrets ? '' : ' New connections have to be connected again.'}
        </p>
      )}
      <PlainTable className={classes['table']} label="What is imported" head={['Kind', 'Name', 'Here']}>
        {rows.slice(0, SHOWN_ROWS).map(({ kind, name, exists }) => (
          <tr key={`${kind} ${name}`}>
            <td className="soft">{KIND_NAMES[kind]}</td>
            <td>
              <code>{name}</code>
            </td>
            <td className={exists ? '' : 'faint'}>{exists ? 'Exists' : 'New'}</td>
          </tr>
        ))}
      </PlainTable>
      {rows.length > SHOWN_ROWS && <p className="faint">and {formatNumber(rows.length - SHOWN_ROWS)} more</p>}
      <Group>
        <Button onClick={submit} loading={run.isPending} disabled={rows.length === 0}>
          Import {formatCount(rows.length, 'part')}
        </Button>
        <span className="soft">
          {formatNumber(rows.length - existing)} new, {formatNumber(existing)} here already
        </span>
      </Group>
    </Section>
  );
}
