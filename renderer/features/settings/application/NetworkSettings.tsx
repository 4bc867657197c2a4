import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { metaQueryOptions } from '../../../api/hub/hub-queries.ts';
import { useEnv } from '../../../api/use-env.ts';
import { CopyRow } from '../../../components/CopyRow.tsx';
import { Fact, FactList } from '../../../components/FactList.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { paths } from '../../../lib/paths.ts';

/** The addresses of the hub, and what can be reached from other computers. */
export function NetworkSettings() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  if (!meta) return null;
  const { port } = new URL(meta.apiUrl);
  const { tunnelUrl } = meta.health;
  return (
    <>
      <Section title="On this computer">
        <FactList wide>
          <Fact label="Address of the API">
            <CopyRow value={meta.apiUrl} label="Copy API address" />
          </Fact>
          <Fact label="By name">
            <CopyRow value={`http://localhost:${port}`} label="Copy the address by name" />
          </Fact>
          <Fact label="Port">{port}</Fact>
          <Fact label="Other computers">
            <span>Cannot reach Homeport: it listens on this computer only.</span>
          </Fact>
        </FactList>
        <p className="faint small pt-8">
          If another program uses the port, Homeport says so when it starts. Close that program, or start Homeport with
          another port, for example <code>HOMEPORT_PORT=3004</code>; then change the address in your apps and the
          callback address at your providers.
        </p>
      </Section>
      <Section title="From the internet">
        <FactList wide>
          <Fact label="Public address">
            {tunnelUrl === null ? (
              <span className="soft">None: webhooks of providers do not arrive.</span>
            ) : (
              <CopyRow value={tunnelUrl} label="Copy public address" />
            )}
            <Link to={paths.settings(env, 'public-url')}>{tunnelUrl === null ? 'Set one' : 'Change'}</Link>
          </Fact>
          <Fact label="Served there">
            <span>
              <code>/webhook/…</code>, <code>/oauth/callback</code> and <code>/app-auth/connect</code>, and what you
              switch on for agents, nothing else
            </span>
          </Fact>
        </FactList>
      </Section>
    </>
  );
}
