import { describeError } from '../../api/api-error.ts';
import { useEnv } from '../../api/use-env.ts';
import { useMeta } from '../../api/use-meta.ts';
import { useReveal } from '../../api/use-reveal.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { FactList } from '../../components/FactList.tsx';
import { notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { SecretField } from '../../components/SecretField.tsx';
import { Section } from '../../components/Section.tsx';
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
  const reveal = useReveal();
  usePage([{ label: 'Settings' }]);
  if (!meta) return null;
  const code = snippet(meta.apiUrl);
  return (
    <>
      <PageHeader title="Settings" aside={<span className="soft">of environment {env}</span>} />
      <div className={classes['page']}>
        <Section title="API keys">
          <FactList
            wide
            facts={[
              ['API address', <CopyRow key="a" value={meta.apiUrl} label="Copy API address" />],
              [
                'Secret key',
                <SecretField
                  key="s"
                  label="secret key"
                  reveal={() => reveal.mutateAsync({ kind: 'secret_key' })}
                  onError={(error) => notifyError(describeError(error))}
                />,
              ],
            ]}
          />
          <p className={classes['hint']}>
            Apps on this computer send the key as a bearer token. It opens everything in this environment.
          </p>
        </Section>
        <Section title="Use it from an app" aside={<CopyButton value={code} label="Copy code" />}>
          <pre className={classes['code']}>{code}</pre>
        </Section>
        <Section title="Addresses">
          <FactList
            wide
            facts={[
              ['Callback address', <CopyRow key="c" value={meta.callbackUrl} label="Copy callback address" />],
              ['Functions folder', <CopyRow key="f" value={meta.functionsFolder} label="Copy functions folder" />],
            ]}
          />
        </Section>
      </div>
    </>
  );
}
