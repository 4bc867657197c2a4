import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { ProviderEntry } from '../entry-schema.ts';
import { isPem, toPem } from './pem.ts';

type CertificateRules = Pick<ProviderEntry, 'require_client_certificate' | 'token_request_auth_method'>;

/**
 * Certificate and key for mutual TLS, normalised as PEM; undefined when the credentials have none. The provider's
 * certificate is still verified.
 */
export function clientCertificate(
  rules: CertificateRules,
  credentials: Record<string, unknown>,
): { cert: string; key: string } | undefined {
  // With this method the private key is a JWK that signs assertions.
  if (rules.token_request_auth_method === 'private_key_jwt') return undefined;
  const { client_certificate: cert, client_private_key: key } = credentials;
  if (!cert && !key && !rules.require_client_certificate) return undefined;
  if (
    typeof cert !== 'string' ||
    typeof key !== 'string' ||
    !isPem(cert, 'CERTIFICATE') ||
    !isPem(key, 'PRIVATE KEY')
  ) {
    throw new HomeportError(
      'invalid_certificate_or_key_format',
      'The client certificate and its private key must both be PEM texts.',
    );
  }
  return { cert: toPem(cert, 'CERTIFICATE'), key: toPem(key, 'PRIVATE KEY') };
}
