/** One input as a provider's definition describes it (providers.md 2.4). */
export interface FormFieldDefinition {
  title?: string;
  description?: string;
  example?: string;
  pattern?: string;
  format?: string;
  enum?: string[];
  default_value?: string;
  prefix?: string;
  suffix?: string;
  order?: number;
  doc_section?: string;
  optional?: boolean;
  hidden?: boolean;
  automated?: boolean;
  secret?: boolean;
}

export type FieldPart = 'credentials' | 'params' | 'assertion_option';

export interface FormField extends Omit<FormFieldDefinition, 'title'> {
  /** `credentials.apiKey`: unique in the form. */
  id: string;
  part: FieldPart;
  /** Name on the wire. */
  key: string;
  title: string;
  /** What the form starts with, or what the session fixed. */
  initial: string;
  isRequired: boolean;
  isShown: boolean;
  /** Set by the session: the person cannot change it. */
  isPreset: boolean;
  /** Made by the page, to be copied to the provider. */
  isMade?: boolean;
}

export type FormValues = Record<string, string>;

/** Keys and certificates are pasted with their line breaks, which an input of one line drops. */
export const isMultiline = ({ key }: FormField): boolean => /(private_?key|certificate)$/i.test(key);
