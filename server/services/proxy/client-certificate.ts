import { isPem, toPem } from '../../catalog/template/pem.ts';
import { HomeportError } from '../../lib/homeport-error.ts';

/** Certificate and key for mutual TLS, rewrapped as PEM. The provider's certificate is still verified. */
export function clientCertificate(credentials: Record<string, unknown>): { cert: string; key: string } | undefined {
  const { client_certificate: cert, client_private_key: key } = credentials;
  if (!cert && !key) return undefined;
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
