import { Button, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { placeholdersOf, type ShownQuery, sqlValueOf, type ViewGroup } from '../../api/contract.ts';
import { recordViewsQueryOptions, useRecordQuery, useSaveQuery } from '../../api/queries/record-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { SqlEditor } from '../../components/code/SqlEditor.tsx';
import { SaveUnderName } from '../../components/form/SaveUnderName.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import classes from './Query.module.css';
import { QueryExamples } from './QueryExamples.tsx';
import { QueryResult } from './QueryResult.tsx';
import { SavedQueries } from './SavedQueries.tsx';
import { ViewList } from './ViewList.tsx';

/** SQL over records: a statement, the views that it can name, and its rows. The address holds the statement. */
export function QueryPage() {
  const env = useEnv();
  const url = useUrlState();
  usePage([{ label: 'Query' }]);
  const views = useQuery(recordViewsQueryOptions(env));
  const query = useRecordQuery();
  const [text, setText] = useState({ sql: url.get('sql') ?? '' });
  const [written, setWritten] = useState(text.sql);
  const schema = useMemo(() => {
    const names = ({ views: list }: ViewGroup) =>
      Object.fromEntries(list.map(({ columns, name }) => [name, columns.map((column) => column.name)]));
    return Object.fromEntries((views.data ?? []).map((group) => [group.schema, names(group)]));
  }, [views.data]);
  const [values, setValues] = useState<Record<string, string>>({});
  const [open, setOpen] = useState<ShownQuery>();
  const save = useSaveQuery();
  const names = placeholdersOf(written);
  const paramsOf = (sql: string, typed: Record<string, string>) =>
    Object.fromEntries(placeholdersOf(sql).map((name) => [name, sqlValueOf(typed[name] ?? '')]));
  const run = (sql = written, typed = values): void => {
    if (sql.trim() === '' || query.isPending) return;
    url.set({ sql }, { replace: true });
    query.mutate({ sql, params: paramsOf(sql, typed) });
  };
  const start = (sql: string, typed: Record<string, string> = {}): void => {
    setText({ sql });
    setWritten(sql);
    setValues(typed);
    run(sql, typed);
  };
  const openSaved = (saved: ShownQuery): void => {
    setOpen(saved);
    start(saved.sql, Object.fromEntries(Object.entries(saved.params).map(([name, value]) => [name, String(value)])));
  };
  return (
    <>
      <PageHeader title="Query" sub="Records, connections and runs in SQL">
        {written.trim() !== '' && (
          <SaveUnderName
            label="Save query"
            nameLabel="Name of the query"
            initial={open?.name}
            onSave={(name) =>
              save.mutate({ name, sql: written, params: paramsOf(written, values) }, { onSuccess: setOpen })
            }
          />
        )}
        <Button
          leftSection={<IconPlayerPlay size={14} />}
          loading={query.isPending}
          disabled={written.trim() === ''}
          onClick={() => run()}
        >
          Run
        </Button>
      </PageHeader>
      <div className={`flex fills ${classes['split']}`}>
        <ViewList groups={views.data} error={views.error} onPick={(sql) => start(sql)}>
          <SavedQueries openId={open?.id} onOpen={openSaved} />
        </ViewList>
        <div className="stack fills" style={{ flex: 1, minWidth: 0 }}>
          <div className="rigid line-above line-below" style={{ height: 168 }}>
            <SqlEditor text={text} label="Statement" views={schema} onChange={setWritten} onRun={() => run()} />
          </div>
          {names.length > 0 && (
            <div className="flex wrap gap-12 rigid line-below" style={{ padding: '8px var(--hp-gutter)' }}>
              {names.map((name) => (
                <TextInput
                  key={name}
                  size="xs"
                  label={`$${name}`}
                  value={values[name] ?? ''}
                  onChange={({ currentTarget: { value } }) => setValues((old) => ({ ...old, [name]: value }))}
                  onKeyDown={({ key }) => key === 'Enter' && run()}
                />
              ))}
            </div>
          )}
          {query.error && <ErrorPanel error={query.error} />}
          {query.data && !query.error && <QueryResult result={query.data} />}
          {!query.data && !query.error && <QueryExamples groups={views.data} onPick={(sql) => start(sql)} />}
        </div>
      </div>
    </>
  );
}
