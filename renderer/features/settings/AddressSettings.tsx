import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { callbackQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { Section } from '../../components/Section.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './EnvironmentSettings.module.css';

export function AddressSettings({ functionsFolder }: { functionsFolder: string }) {
  const env = useEnv();
  const { data: callback } = useQuery(callbackQueryOptions(env));
  return (
    <div id="auth-callback" className={classes['anchor']}>
      <Section title="Addresses">
        <FactList wide>
          <Fact label="Callback address">
            <CopyRow value={callback?.callbackUrl ?? ''} label="Copy callback address" />
            <Anchor component={Link} to={paths.callback(env)} fz="sm">
              Check or change it
            </Anchor>
          </Fact>
          <Fact label="Functions folder">
            <CopyRow value={functionsFolder} label="Copy functions folder" />
          </Fact>
        </FactList>
      </Section>
    </div>
  );
}
