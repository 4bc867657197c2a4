import { Stack } from '@mantine/core';
import type { ApprovalRow } from '../../api/contract.ts';
import classes from './PreviewedWrites.module.css';

type Preview = NonNullable<ApprovalRow['preview']>;

const SOURCES = { read: 'Compared with what the account has now', record: 'Compared with the last synced record' };

const LINES: Partial<Record<string, readonly ['ins' | 'del', string]>> = { '+ ': ['ins', 'ok'], '- ': ['del', 'bad'] };

/** What a call would send, beside what is known now. */
export function PreviewedWrites({ preview: { problem, writes }, maxHeight }: { preview: Preview; maxHeight: number }) {
  return (
    <Stack gap={8} w="100%" mah={maxHeight} style={{ overflow: 'auto' }}>
      {writes.map((write, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call can send the same request twice, and the list never changes
        <PreviewedWrite key={index} write={write} />
      ))}
      {problem !== null && <span className="soft">{problem}</span>}
    </Stack>
  );
}

function PreviewedWrite({ write: { known, lines, method, path } }: { write: Preview['writes'][number] }) {
  return (
    <div>
      <code className="breaks">
        {method} {path}
      </code>
      {known !== null && <div className="soft">{SOURCES[known]}</div>}
      {lines.length > 0 && (
        <pre className={`frame small breaks pre-wrap ${classes['lines']}`}>
          {lines.map((line, index) => {
            const [Line, tone] = LINES[line.slice(0, 2)] ?? ['span', undefined];
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines can be equal, and the list never changes
              <Line key={index} data-tone={tone}>
                {line}
              </Line>
            );
          })}
        </pre>
      )}
    </div>
  );
}
