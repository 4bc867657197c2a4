import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { useCallbackAddress } from '../../api/use-callback-address.ts';
import { useEnv } from '../../api/use-env.ts';
import { useMeta } from '../../api/use-meta.ts';
import { useReveal } from '../../api/use-reveal.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SecretField } from '../../components/SecretField.tsx';
import { Section } from '../../components/Section.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './EnvironmentSettings.module.css';

const snippet = (apiUrl: string): string => `import { Nango } from '@nangohq/node';

const homeport = new Nango({
  host: '${apiUrl}',
  secretKey: process.env.HOMEPORT_SECRET_KEY,
});`;

/** How an app reaches this environment. */
export function EnvironmentSettings() {
  const env = useEnv();
  const { data: meta } = useMeta();
  const { data: callback } = useCallbackAddress();
  const reveal = useReveal();
  usePage([{ label: 'Settings' }]);
  if (!meta) return null;
  const code = snippet(meta.apiUrl);
  return (
    <>
      <PageHeader title="Settings" aside={<span className="soft">of environment {env}</span>} />
      <div className={classes['page']}>
        <Section title="API keys">
          <FactList wide>
            <Fact label="API address">
              <CopyRow value={meta.apiUrl} label="Copy API address" />
            </Fact>
            <Fact label="Secret key">
              <SecretField
                label="secret key"
                reveal={() => reveal.mutateAsync({ kind: 'secret_key' })}
                onError={(error) => notifyError(describeError(error))}
              />
            </Fact>
          </FactList>
          <p className={classes['hint']}>
            Apps on this computer send the key as a bearer token. It opens everything in this environment.
          </p>
        </Section>
        <Section title="Use it from an app" aside={<CopyButton value={code} label="Copy code" />}>
          <pre className={classes['code']}>{code}</pre>
        </Section>
        <Section title="Addresses">
          <FactList wide>
            <Fact label="Callback address">
              <CopyRow value={callback?.callbackUrl ?? ''} label="Copy callback address" />
              <Anchor component={Link} to={paths.callback(env)} fz="sm">
                Check or change it
              </Anchor>
            </Fact>
            <Fact label="Functions folder">
              <CopyRow value={meta.functionsFolder} label="Copy functions folder" />
            </Fact>
          </FactList>
        </Section>
      </div>
    </>
  );
}
