import { useState } from 'react';
import type { OpenApiDocument } from '../../api/contract.ts';
import { Tag } from '../../components/Tag.tsx';
import classes from './ApiReference.module.css';
import { OperationDetail } from './OperationDetail.tsx';
import type { ReferenceEntry } from './reference-groups.ts';

const TONES: Record<string, string> = { GET: 'run', POST: 'ok', PUT: 'warn', PATCH: 'warn', DELETE: 'bad' };

/** One route on one line; what it takes and answers is drawn once it is open. */
export function OperationEntry({ document, entry }: { document: OpenApiDocument; entry: ReferenceEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { method, path, operation } = entry;
  return (
    <details className={classes['entry']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes['method']} data-tone={TONES[method]}>
          {method}
        </span>
        <code>{path}</code>
        <span className={classes['summary']}>{operation.summary}</span>
        {operation.deprecated && <Tag>replaced</Tag>}
      </summary>
      {isOpen && <OperationDetail document={document} entry={entry} />}
    </details>
  );
}
