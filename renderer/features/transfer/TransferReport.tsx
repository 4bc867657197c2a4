import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ShownTransferRow } from '../../api/contract.ts';
import { Section } from '../../components/page/Section.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { saveFile } from '../../lib/save-file.ts';
import classes from './TransferPages.module.css';
import { KIND_NAMES, OUTCOME_NAMES } from './transfer-choices.ts';

const SHOWN_ROWS = 500;
/** Results that need attention come first. */
const ORDER = ['failed', 'renamed', 'replaced', 'created', 'skipped'] as const;

/** The result of each part. */
export function TransferReport({ rows, name }: { rows: readonly ShownTransferRow[]; name: string }) {
  const sorted = ORDER.flatMap((outcome) => rows.filter((row) => row.outcome === outcome));
  const counts = ORDER.map((outcome) => ({ outcome, count: rows.filter((row) => row.outcome === outcome).length }));
  return (
    <Section
      title="Report"
      aside={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} stroke={1.6} />}
          onClick={() => saveFile(name, new Blob([JSON.stringify(rows, null, 2)], { type: 'application/json' }))}
        >
          Save report
        </Button>
      }
    >
      <p role="status">
        {counts
          .filter(({ count }) => count > 0)
          .map(({ outcome, count }) => `${formatNumber(count)} ${OUTCOME_NAMES[outcome].toLowerCase()}`)
          .join(', ') || 'There was nothing to do.'}
      </p>
      <PlainTable className={classes['table']} label="Report" head={['Kind', 'Name', 'Result']}>
        {sorted.slice(0, SHOWN_ROWS).map((row) => (
          <tr key={`${row.kind} ${row.name}`}>
            <td className="soft">{KIND_NAMES[row.kind]}</td>
            <td>
              <code>{row.name}</code>
            </td>
            <td className={row.outcome === 'failed' ? 'bad' : undefined}>
              {OUTCOME_NAMES[row.outcome]}
              {row.detail !== undefined && <span className="soft">: {row.detail}</span>}
            </td>
          </tr>
        ))}
      </PlainTable>
    </Section>
  );
}
