import { IconDatabase, IconDeviceLaptop, IconKey, IconLockCheck, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Health } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { Banner } from '../../components/page/Banner.tsx';
import { paths } from '../../lib/paths.ts';
import type { StepProps } from './step-props.ts';
import classes from './WelcomeStep.module.css';

/** The place of the master key: for the list of steps, and in a sentence. */
export const KEY_SOURCE: Record<Health['vaultSource'], { short: string; text: string }> = {
  keychain: {
    short: 'Key is in the system keychain',
    text: 'The master key is in the keychain of this computer. Only your user can read it.',
  },
  file: {
    short: 'Key is in a file',
    text: 'No keychain was found, so the master key is in the file master.key of the data folder.',
  },
  variable: {
    short: 'Key comes from the environment',
    text: 'The master key comes from the environment variable HOMEPORT_MASTER_KEY. Homeport keeps no copy of it.',
  },
};

/** Explains Homeport and where its master key is. */
export function VaultStep({ heading }: StepProps) {
  const source = useQuery(metaQueryOptions()).data?.health.vaultSource;
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Welcome to Homeport
      </h1>
      <p className={`soft ${classes['lead']}`}>
        It connects your apps with other services, on this computer only. You need no account.
      </p>
      <ul className={classes['facts']}>
        <Fact icon={<IconPlugConnected size={20} stroke={1.6} />} title="It holds connections">
          People sign in once. Homeport refreshes their tokens, and your apps read them or send requests through it.
        </Fact>
        <Fact icon={<IconDatabase size={20} stroke={1.6} />} title="It runs your functions">
          Syncs, actions and webhook handlers run here, and what they fetch is stored as records.
        </Fact>
        <Fact icon={<IconDeviceLaptop size={20} stroke={1.6} />} title="It stays with you">
          Everything is in one folder of this computer. Nothing is sent anywhere but to the providers that you connect.
        </Fact>
      </ul>
      <section className="card flex gap-12" style={{ marginTop: 16, padding: 16 }} aria-label="Vault">
        {source === 'file' ? (
          <IconKey className="rigid soft" size={20} stroke={1.6} aria-hidden />
        ) : (
          <IconLockCheck className="rigid soft" size={20} stroke={1.6} aria-hidden />
        )}
        <div>
          <h2>Credentials are sealed</h2>
          <p className="soft">{source && KEY_SOURCE[source].text}</p>
        </div>
      </section>
      {source === 'file' && (
        <Banner tone="warn">
          Anyone who can read your files can read the key. Keep the data folder out of shared folders and backups that
          others can open, or move the key to a keychain in the <Link to={paths.appSettings('vault')}>settings</Link>.
        </Banner>
      )}
    </>
  );
}

function Fact({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-16">
      <span className={`centred rigid soft ${classes['tile']}`} aria-hidden>
        {icon}
      </span>
      <div>
        <h2>{title}</h2>
        <p className="soft">{children}</p>
      </div>
    </li>
  );
}
