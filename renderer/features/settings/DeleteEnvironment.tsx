import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { EnvironmentDetail } from '../../api/contract.ts';
import { useDeleteEnvironment } from '../../api/hub/environment-mutations.ts';
import { environmentQueryOptions, metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { Section } from '../../components/page/Section.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './EnvironmentSettings.module.css';

/** Deletes an environment and everything in it. */
export function DeleteEnvironment() {
  const env = useEnv();
  const { data } = useQuery(environmentQueryOptions(env));
  return (
    <div id="delete" className={classes['anchor']}>
      <Section title="Delete this environment">{data && <Deletion environment={data} />}</Section>
    </div>
  );
}

function Deletion({ environment }: { environment: EnvironmentDetail }) {
  const { canDelete, name } = environment;
  const navigate = useNavigate();
  const remove = useDeleteEnvironment(name);
  const confirm = useConfirm();
  const { data: meta } = useQuery(metaQueryOptions());
  const next = meta?.environments.find((one) => one.name !== name)?.name ?? 'dev';
  const content = contentOf(environment);
  const ask = (): void =>
    confirm.ask({
      title: `Delete the environment ${name}?`,
      text: `It holds ${content}. All of that is deleted, and its API keys stop working at once. Earlier backups still contain it.`,
      action: 'Delete environment',
      typed: name,
      run: async () => {
        await remove.mutateAsync();
        notifyDone(`Environment ${name} deleted`);
        // Not to the start page: an environment that is empty now would open its first run.
        void navigate(paths.overview(next), { replace: true });
      },
    });
  if (!canDelete)
    return (
      <p className="soft pb-12">
        {name === 'prod'
          ? 'The production environment cannot be deleted. Delete its integrations: their connections are deleted with them.'
          : `${name} is the environment of the functions folder and cannot be deleted. Delete its integrations: their connections are deleted with them.`}
      </p>
    );
  return (
    <>
      <p className="soft pb-12">{`It holds ${content}.`}</p>
      <Button variant="default" data-tone="bad" onClick={ask}>
        Delete environment
      </Button>
      {confirm.dialog}
    </>
  );
}

function contentOf({ connectionCount, functionCount, integrationCount, variableCount }: EnvironmentDetail): string {
  const parts: Array<[number, string]> = [
    [integrationCount, 'integration'],
    [connectionCount, 'connection'],
    [functionCount, 'function'],
    [variableCount, 'variable'],
  ];
  const texts = parts.map(([count, noun]) => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`);
  return `${new Intl.ListFormat('en').format(texts)}, with records and logs`;
}
