import { Button, SegmentedControl } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { QueryAnswerView } from '../../api/contract.ts';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { type Bar, barsOf, cellText, resultCsv } from '../../lib/result-text.ts';
import { saveFile } from '../../lib/save-file.ts';

/** As many rows as a browser draws without a delay; the file has all of them. */
const DRAWN = 1000;

/** The rows of a query as a table or as bars, with the way to a file. */
export function QueryResult({ result }: { result: QueryAnswerView }) {
  const [form, setForm] = useState('table');
  const chart = barsOf(result);
  const isChart = form === 'chart' && chart !== undefined;
  return (
    <section className="stack fills" style={{ minHeight: 0 }} aria-label="Result">
      <div className="row between wrap gap-8 rigid" style={{ padding: '8px var(--hp-gutter)' }}>
        <span className="soft small" role="status">
          {result.rowCount === 1 ? '1 row' : `${formatNumber(result.rowCount)} rows`}, {result.durationMs} ms
          {result.rowCount > DRAWN && !isChart && `; the first ${formatNumber(DRAWN)} are shown`}
        </span>
        <div className="row wrap gap-8">
          {chart && (
            <SegmentedControl
              size="xs"
              aria-label="Form of the result"
              value={form}
              onChange={setForm}
              data={[
                { value: 'table', label: 'Table' },
                { value: 'chart', label: 'Chart' },
              ]}
            />
          )}
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
            onClick={() => saveFile('query.csv', new Blob([resultCsv(result)], { type: 'text/csv' }))}
          >
            CSV
          </Button>
        </div>
      </div>
      <div className="scroll fills" style={{ padding: '0 var(--hp-gutter) 24px' }}>
        {isChart ? <Bars bars={chart.bars} of={chart.of} /> : <Rows result={result} />}
      </div>
    </section>
  );
}

function Rows({ result: { columns, rows } }: { result: QueryAnswerView }) {
  return (
    <PlainTable label="Rows" head={columns.map(({ name }) => name)}>
      {rows.slice(0, DRAWN).map((row, index) => (
        // Rows of a result have no id, and never change places.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <tr key={index}>
          {columns.map(({ name }) => (
            <Cell key={name} value={row[name]} />
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}

function Cell({ value }: { value: unknown }) {
  const text = cellText(value);
  return (
    <td
      className={typeof value === 'number' ? 'mono' : undefined}
      title={text.length > 60 ? text : undefined}
      style={{ maxWidth: 360, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
    >
      {value === null || value === undefined ? <span className="faint">null</span> : text}
    </td>
  );
}

/** Horizontal bars with their values. */
function Bars({ bars, of }: { bars: Bar[]; of: string }) {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <PlainTable label={`Chart of ${of}`} head={['', of]}>
      {bars.map(({ label, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels may be equal
        <tr key={index}>
          <td style={{ width: '30%', maxWidth: 240, overflow: 'hidden', textOverflow: 'ellipsis' }}>{label}</td>
          <td>
            <span className="row gap-8">
              <span
                aria-hidden
                style={{
                  width: `${(value / most) * 80}%`,
                  minWidth: value > 0 ? 2 : 0,
                  height: 14,
                  borderRadius: 2,
                  background: 'var(--hp-accent)',
                }}
              />
              <span className="mono small">{formatNumber(value)}</span>
            </span>
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
