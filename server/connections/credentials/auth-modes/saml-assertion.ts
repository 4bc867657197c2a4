import { XMLBuilder } from 'fast-xml-parser';
import { SignedXml } from 'xml-crypto';
import type { AssertionRules } from '../../../integrations/catalog/entry-schema.ts';
import { toPem } from '../../../integrations/catalog/template/pem.ts';
import { HomeportError } from '../../../platform/lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import { fillText, type ParamScope } from './fill-params.ts';
import { fillClaims, fillList, readPrivateKey } from './sign-jwt.ts';

const LIFETIME_SECONDS = 300;
const ID_BYTES = 16;
const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const UNSPECIFIED_NAME = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
const UNSPECIFIED_CONTEXT = 'urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified';
const ISSUER = "/*[local-name(.)='Assertion']/*[local-name(.)='Issuer']";

type Fill = (template: string | undefined) => string | undefined;

/** A SAML 2.0 bearer assertion as base64, signed when there is a key (auth-and-connect.md 2.5). */
export async function samlAssertion(
  { ids }: TokenContext,
  rules: AssertionRules,
  scope: ParamScope,
  keyText: string | undefined,
): Promise<string> {
  const fill: Fill = (template) => (template === undefined ? undefined : fillText(template, scope));
  const id = `_${ids.hex(ID_BYTES)}`;
  const endsAt = toIsoTime(scope.now + (rules.lifetimeInSeconds ?? LIFETIME_SECONDS) * 1_000);
  const parts = { id, now: toIsoTime(scope.now), endsAt, fill, scope };
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '$', suppressEmptyNode: true });
  const xml: string = builder.build({ 'saml:Assertion': assertionElement(rules, parts) });
  return Buffer.from(keyText === undefined ? xml : sign(xml, keyText, fill(rules.cert))).toString('base64');
}

/** When the assertion ends, in milliseconds; 0 when it cannot be read. */
export function samlEnd(assertion: string): number {
  const xml = Buffer.from(assertion, 'base64').toString();
  const [, end = ''] = /<(?:\w+:)?Conditions\b[^<>]*?\sNotOnOrAfter="([^"]+)"/.exec(xml) ?? [];
  return Date.parse(end) || 0;
}

interface Parts {
  id: string;
  now: string;
  endsAt: string;
  fill: Fill;
  scope: ParamScope;
}

/** The schema prescribes the order of the elements. */
function assertionElement(rules: AssertionRules, { id, now, endsAt, fill, scope }: Parts): Record<string, unknown> {
  const recipient = fill(rules.recipient);
  const subject = fill(rules.nameIdentifier);
  return {
    '$xmlns:saml': 'urn:oasis:names:tc:SAML:2.0:assertion',
    $Version: '2.0',
    $ID: id,
    $IssueInstant: now,
    'saml:Issuer': fill(rules.issuer) ?? '',
    'saml:Subject': {
      ...(subject === undefined
        ? {}
        : { 'saml:NameID': { $Format: fill(rules.nameIdentifierFormat) ?? UNSPECIFIED_NAME, '#text': subject } }),
      'saml:SubjectConfirmation': {
        $Method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
        'saml:SubjectConfirmationData': {
          $NotOnOrAfter: endsAt,
          ...(recipient === undefined ? {} : { $Recipient: recipient }),
        },
      },
    },
    'saml:Conditions': { $NotBefore: now, $NotOnOrAfter: endsAt, ...audienceElement(rules, scope) },
    'saml:AuthnStatement': {
      $AuthnInstant: now,
      $SessionIndex: fill(rules.sessionIndex) ?? id,
      'saml:AuthnContext': { 'saml:AuthnContextClassRef': fill(rules.authnContextClassRef) ?? UNSPECIFIED_CONTEXT },
    },
    ...attributeElement(rules, scope),
  };
}

function audienceElement({ audiences = [] }: AssertionRules, scope: ParamScope): Record<string, unknown> {
  const filled = fillList([audiences].flat(), scope);
  return filled.length === 0 ? {} : { 'saml:AudienceRestriction': { 'saml:Audience': filled } };
}

function attributeElement({ attributes }: AssertionRules, scope: ParamScope): Record<string, unknown> {
  const filled = Object.entries(fillClaims(attributes, scope)).map(([name, value]) => ({
    $Name: name,
    'saml:AttributeValue': value,
  }));
  return filled.length === 0 ? {} : { 'saml:AttributeStatement': { 'saml:Attribute': filled } };
}

function sign(xml: string, keyText: string, certificate: string | undefined): string {
  const key = readPrivateKey(keyText);
  if (key?.asymmetricKeyType !== 'rsa')
    throw new HomeportError(
      'invalid_two_step_credentials',
      'The private key of the assertion cannot be read. Enter an RSA key as a PEM text.',
    );
  const signer = new SignedXml({
    privateKey: key,
    ...(certificate ? { publicCert: toPem(certificate, 'CERTIFICATE') } : {}),
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE_C14N,
  });
  signer.addReference({
    xpath: "/*[local-name(.)='Assertion']",
    transforms: [ENVELOPED, EXCLUSIVE_C14N],
    digestAlgorithm: SHA256,
  });
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: ISSUER, action: 'after' } });
  return signer.getSignedXml();
}
