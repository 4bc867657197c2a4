import { type Callback, landingUrl, type ProviderDetail } from '../../api/contract.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Banner } from '../../components/page/Banner.tsx';
import { Section } from '../../components/page/Section.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { isLoopback } from '../../lib/loopback.ts';
import classes from './CallbackDoctor.module.css';
import { spellings } from './callback-choices.ts';

/** The address to register at the provider. */
export function CallbackAddress({ callback, provider }: { callback: Callback; provider: ProviderDetail | undefined }) {
  const { callbackUrl } = callback;
  const refusal = provider && refusalOf(provider, callbackUrl);
  return (
    <Section title="Register exactly this">
      <div className="row at-top between card sunken" style={{ margin: '4px 0 8px', padding: '11px 12px 11px 16px' }}>
        <code className="breaks">{callbackUrl}</code>
        <CopyButton value={callbackUrl} label="Copy callback address" />
      </div>
      {refusal && (
        <Banner tone="warn">
          <b>{refusal}</b> Choose another address below.
        </Banner>
      )}
      <Names callback={callback} />
    </Section>
  );
}

/** Why the provider does not accept such an address; undefined when it does, or when that is unknown. */
function refusalOf({ displayName, redirectRule }: ProviderDetail, callbackUrl: string): string | undefined {
  const { protocol, hostname } = new URL(callbackUrl);
  if (protocol === 'https:' || redirectRule === null) return undefined;
  if (redirectRule === 'https') return `${displayName} takes only addresses that start with https.`;
  if (!isLoopback(callbackUrl)) return `${displayName} takes http only for this computer.`;
  return redirectRule === 'localhost' && hostname !== 'localhost'
    ? `${displayName} takes http only for the name localhost.`
    : undefined;
}

function Names({ callback }: { callback: Callback }) {
  const { callbackUrl } = callback;
  const landing = landingUrl(callbackUrl);
  if (landing !== callbackUrl) return <p className="soft breaks">It redirects to {landing}.</p>;
  if (!isLoopback(callbackUrl)) return null;
  return (
    <>
      <p className="soft breaks">This computer has two names. Providers treat them as two addresses.</p>
      <ul className={`stack gap-4 ${classes['names']}`} style={{ margin: '8px 0 0' }}>
        {Object.entries(spellings(callback)).map(([name, url]) => (
          <li className="row wrap breaks" key={name}>
            <code>{url}</code>
            {url === callbackUrl ? <Tag>in use</Tag> : <span className="faint">not in use</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
