import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { HUB_SCHEMA, sqlView, type ViewGroup } from '../../api/contract.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import classes from './Query.module.css';

interface ViewListProps {
  groups: ViewGroup[] | undefined;
  error: Error | null;
  /** Called with a first statement over a view. */
  onPick: (sql: string) => void;
  /** Above the views. */
  children: ReactNode;
}

/** The views by integration, those of the hub last. A view opens to its columns; its button shows its first rows. */
export function ViewList({ groups, error, onPick, children }: ViewListProps) {
  const shown = groups?.toSorted(
    (one, other) => Number(one.schema === HUB_SCHEMA) - Number(other.schema === HUB_SCHEMA),
  );
  return (
    <nav className={`stack rigid scroll line-above ${classes['views']}`} aria-label="Views">
      {children}
      {error && !groups && <ErrorPanel error={error} />}
      {!groups && !error && <PartLoading />}
      {shown?.map(({ schema, views }) => (
        <section key={schema} aria-label={schema}>
          <h2 className="faint small" style={{ padding: '8px 12px 4px', fontWeight: 500 }}>
            {schema}
          </h2>
          {views.map((view) => (
            <div key={view.name} className="flex at-top gap-8" style={{ padding: '0 12px' }}>
              <details className="grow">
                <summary className="breaks" style={{ padding: '3px 0', cursor: 'pointer' }}>
                  {view.name}
                </summary>
                <ul style={{ listStyle: 'none', margin: '0 0 6px', padding: '0 0 0 8px' }}>
                  {view.columns.map(({ name, type }) => (
                    <li key={name} className="row between gap-8 small">
                      <span className="mono breaks">{name}</span>
                      <span className="faint rigid tiny">{shortType(type)}</span>
                    </li>
                  ))}
                </ul>
              </details>
              <UnstyledButton
                className="soft small rigid"
                style={{ minHeight: 26 }}
                aria-label={`Show rows of ${schema}.${view.name}`}
                onClick={() => onPick(`SELECT *\nFROM ${sqlView({ schema, name: view.name })}\nLIMIT 100`)}
              >
                Rows
              </UnstyledButton>
            </div>
          ))}
        </section>
      ))}
    </nav>
  );
}

const shortType = (type: string): string =>
  type === 'TIMESTAMP WITH TIME ZONE' ? 'time' : type === 'VARCHAR' ? 'text' : type.toLowerCase();
