import { Checkbox } from '@mantine/core';
import { Link } from 'react-router';
import type { RecordVersionRow } from '../../api/contract.ts';
import { useOperationLink } from '../../components/function/use-operation-link.ts';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { lookOf, RECORD_LOOK } from '../../lib/status.ts';
import classes from './RecordHistory.module.css';

interface VersionListProps {
  versions: RecordVersionRow[];
  ticked: string[];
  nameOf: (at: string) => string;
  onTick: (at: string) => void;
}

/** Newest first; the two selected ones are compared. */
export function VersionList({ versions, ticked, nameOf, onTick }: VersionListProps) {
  const operationLink = useOperationLink();
  return (
    <section aria-label="Versions">
      <h2 style={{ padding: '20px var(--hp-gutter) 8px' }}>Versions</h2>
      <ul
        className="grid"
        style={{ gridTemplateColumns: 'max-content minmax(0, max-content) minmax(0, 1fr) max-content' }}
      >
        {versions.map((version) => (
          <li key={version.at} className={`grid gap-12 middle ${classes['version']}`}>
            <Checkbox
              label={nameOf(version.at)}
              checked={ticked.includes(version.at)}
              onChange={() => onTick(version.at)}
            />
            <span className="row wrap" style={{ gap: '0 8px' }}>
              <StatusBadge look={lookOf(RECORD_LOOK, version.action)} />
              {version.isPruned && <span className="faint">pruned</span>}
            </span>
            <span className="right">
              {version.operationId && <Link to={operationLink(version.operationId)}>Run</Link>}
            </span>
            <RelativeTime at={version.at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
