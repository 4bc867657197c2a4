import type { ReactNode } from 'react';
import type { OfferedIntegration } from '../../api/connect-api.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import classes from './screen.module.css';

interface EndLogoProps {
  integration: OfferedIntegration;
  tone: 'ok' | 'bad';
  mark: ReactNode;
}

/** The provider's logo with a mark for the result. */
export function EndLogo({ integration, tone, mark }: EndLogoProps) {
  return (
    <span className={classes['end']}>
      <ProviderLogo provider={integration.provider} name={integration.display_name} size={56} tile />
      <span className={`centred ${classes['mark']}`} data-tone={tone}>
        {mark}
      </span>
    </span>
  );
}
