import { I18n, type MessageDescriptor, type MessageOptions } from '@lingui/core';

/** The placeholder of a component in a translation, e.g. `<0>`; alone it stands for a value. */
const TAG = /<(?=\/?\w)/g;
const VALUE_TAG = /^<\d+\/>$/;

/**
 * Returns translations in which values are shown as they are. The library parses the tags of a translation
 * only after inserting the values: a name containing tags would lose them, or replace what the translation
 * emphasizes.
 */
export function createI18n(): I18n {
  return new PlainValuesI18n({});
}

class PlainValuesI18n extends I18n {
  override _(descriptor: MessageDescriptor): string;
  override _(id: string, values?: Record<string, unknown>, options?: MessageOptions): string;
  override _(
    id: string | MessageDescriptor,
    values?: Record<string, unknown>,
    options?: MessageOptions,
  ): string {
    if (typeof id === 'string') return super._(id, withoutTags(values), options);
    return super._({ ...id, values: withoutTags(id.values) });
  }
}

function withoutTags(values: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutTag(value) : value,
    ]),
  );
}

/** A word joiner after the bracket is invisible, and prevents it from starting a tag. */
function withoutTag(value: string): string {
  return VALUE_TAG.test(value) ? value : value.replace(TAG, '<\u2060');
}
