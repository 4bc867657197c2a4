import { IconLock } from '@tabler/icons-react';
import type { OfferedProvider } from '../../api/connect-api.ts';
import { isAuthorization } from '../client/auth-calls.ts';
import type { Chosen } from '../form/chosen.ts';
import { useTexts } from '../texts/texts-context.ts';
import type { Translate } from '../texts/translate.ts';

interface FootProps {
  /** Undefined while no integration is known. */
  flow?: { screen: { name: string }; chosen: Chosen | undefined };
  showWatermark: boolean;
}

/** Says what happens to the entered values. */
export function Foot({ flow, showWatermark }: FootProps) {
  const t = useTexts();
  return (
    <>
      <IconLock className="rigid" size={14} stroke={1.6} aria-hidden />
      <span className="grow">{promise(flow, t)}</span>
      {showWatermark && <span className="faint name">Homeport</span>}
    </>
  );
}

function promise(flow: FootProps['flow'], t: Translate): string {
  if (flow?.screen.name === 'success') return t('foot.stored');
  if (!flow?.chosen || flow.screen.name !== 'form') return t('foot.signIns');
  const { integration, provider } = flow.chosen;
  if (isAuthorization(provider)) return t('foot.signIns');
  return isChecked(provider) ? t('foot.checked', { name: integration.display_name }) : t('foot.stored');
}

/** Modes whose credentials are exchanged for a token at the provider, which checks them. */
const EXCHANGED = ['OAUTH2_CC', 'TWO_STEP', 'JWT', 'BILL', 'SIGNATURE', 'AWS_SIGV4', 'APP'];

/** Whether anything checks what is entered: a request of the provider's entry, or the exchange for a token. */
function isChecked(provider: OfferedProvider): boolean {
  const {
    auth_mode: mode,
    credentials_verification_script: script,
    proxy,
  } = provider as OfferedProvider & {
    credentials_verification_script?: string;
    proxy?: { verification?: unknown };
  };
  if (mode === 'NONE') return false;
  return script !== undefined || proxy?.verification !== undefined || EXCHANGED.includes(mode);
}
