import { useState } from 'react';
import { initials, tintOf } from '../../lib/initials.ts';
import classes from './ProviderLogo.module.css';

/** Providers without a logo, so that a long table requests each only once. */
const missing = new Set<string>();

interface ProviderLogoProps {
  /** Null for a function whose integration does not exist yet. */
  provider: string | null;
  name: string;
  size?: number;
  /** A framed tile, from 32 px. */
  tile?: boolean;
}

export function ProviderLogo({ provider, name, size = 16, tile = false }: ProviderLogoProps) {
  const [failed, setFailed] = useState(provider === null || missing.has(provider));
  const style = { width: size, height: size, fontSize: Math.round(size * 0.6) };
  const letters = failed || provider === null;
  return (
    <span className={`rigid ${classes['logo']}`} data-tile={tile || undefined} style={style} aria-hidden>
      {letters ? (
        <span
          className={`centred full strong ${classes['letter']}`}
          style={{
            background: `var(--hp-tint-${tintOf(provider ?? name)})`,
            color: `var(--hp-tint-${tintOf(provider ?? name)}-text)`,
          }}
        >
          {initials(name, 1)}
        </span>
      ) : (
        <img
          className="full"
          src={`/images/template-logos/${encodeURIComponent(provider)}.svg`}
          alt=""
          loading="lazy"
          onError={() => {
            missing.add(provider);
            setFailed(true);
          }}
        />
      )}
    </span>
  );
}
