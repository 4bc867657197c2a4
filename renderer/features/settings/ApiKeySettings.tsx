import { Link } from 'react-router';
import { useReveal } from '../../api/settings/settings-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { SecretField } from '../../components/form/SecretField.tsx';
import { Section } from '../../components/page/Section.tsx';
import { paths } from '../../lib/paths.ts';
import classes from './EnvironmentSettings.module.css';

const snippet = (apiUrl: string): string => `import { Nango } from '@nangohq/node';

const homeport = new Nango({
  host: '${apiUrl}',
  apiKey: process.env.HOMEPORT_SECRET_KEY,
});`;

/** The address and keys with which an app reaches this environment. */
export function ApiKeySettings({ apiUrl }: { apiUrl: string }) {
  const reveal = useReveal();
  const env = useEnv();
  const code = snippet(apiUrl);
  return (
    <div id="api-keys" className={classes['anchor']}>
      <Section title="API keys">
        <FactList wide>
          <Fact label="API address">
            <CopyRow value={apiUrl} label="Copy API address" />
          </Fact>
          <Fact label="Secret key">
            <SecretField label="secret key" reveal={() => reveal.mutateAsync({ kind: 'secret_key' })} />
          </Fact>
        </FactList>
        <p className="faint small pt-8">
          Apps on this computer send the key as a bearer token. It gives access to everything in this environment.{' '}
          <Link to={paths.apps(env)}>Apps and keys</Link> has narrower keys and shows who used them.
        </p>
      </Section>
      <Section title="Use it from an app" aside={<CopyButton value={code} label="Copy code" />}>
        <pre className="scroll frame sunken" style={{ padding: '12px 16px' }}>
          {code}
        </pre>
      </Section>
    </div>
  );
}
