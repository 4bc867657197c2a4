import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { TemplateRow } from '../../api/contract.ts';
import { useAddTemplate } from '../../api/functions/functions-mutations.ts';
import { templatesQueryOptions } from '../../api/functions/functions-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { PartLoading } from '../../components/PartLoading.tsx';
import { SidePanel } from '../../components/SidePanel.tsx';
import { Tag } from '../../components/Tag.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './TemplatePanel.module.css';

const CodeView = lazy(async () => ({ default: (await import('../../components/CodeView.tsx')).CodeView }));

/** Functions that ship for a provider: to read, and to take over as one's own. */
export function TemplatePanel({ integrationKey, onClose }: { integrationKey: string; onClose: () => void }) {
  const env = useEnv();
  const { data, error, refetch } = useQuery(templatesQueryOptions(env, integrationKey));
  return (
    <SidePanel id="templates" label="Templates" title="Templates" onClose={onClose}>
      <p className={classes['lead']}>
        A template becomes a file of your functions folder. It is yours then: change it, and saving deploys it.
      </p>
      {error && !data && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
      <ul className={classes['list']}>
        {data?.map((row) => (
          <Template key={`${row.type}/${row.name}`} row={row} integrationKey={integrationKey} />
        ))}
      </ul>
    </SidePanel>
  );
}

function Template({ row, integrationKey }: { row: TemplateRow; integrationKey: string }) {
  const [isShown, setShown] = useState(false);
  const codeId = `template-${row.type}-${row.name}`;
  return (
    <li className={classes['item']}>
      <div className={classes['head']}>
        <div className={classes['words']}>
          <div className={classes['name']}>
            <code className="name">{row.name}</code>
            <Tag>{row.type}</Tag>
          </div>
          <p>{row.description}</p>
        </div>
        <div className={classes['end']}>
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={isShown}
            aria-controls={codeId}
            aria-label={`Code of ${row.name}`}
            onClick={() => setShown(!isShown)}
          >
            Code
          </Button>
          <AddButton row={row} integrationKey={integrationKey} />
        </div>
      </div>
      {row.blockedBy.length > 0 && !row.isThere && (
        <span className={classes['blocked']}>
          {row.blockedBy.join(', ')} {row.blockedBy.length === 1 ? 'is' : 'are'} there with other content. Rename yours
          to add this.
        </span>
      )}
      {isShown && (
        <div id={codeId} className={classes['code']}>
          <Suspense fallback={<PartLoading />}>
            <CodeView code={row.code} label={row.file} />
          </Suspense>
        </div>
      )}
    </li>
  );
}

function AddButton({ row, integrationKey }: { row: TemplateRow; integrationKey: string }) {
  const env = useEnv();
  const add = useAddTemplate(integrationKey);
  if (row.isThere) {
    return (
      <Button
        size="xs"
        variant="subtle"
        component={Link}
        to={paths.function(env, { integrationKey, name: row.name, type: row.type })}
        aria-label={`Open ${row.name}`}
      >
        Open
      </Button>
    );
  }
  const start = (): void =>
    add.mutate(row, {
      onSuccess: ({ written }) => notifyDone(`${row.name} is in your functions folder: ${written.join(', ')}`),
      onError: (error) => notifyError(describeError(error)),
    });
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} stroke={1.6} />}
      disabled={row.blockedBy.length > 0}
      loading={add.isPending}
      aria-label={`Add ${row.name} to my functions`}
      onClick={start}
    >
      Add
    </Button>
  );
}
