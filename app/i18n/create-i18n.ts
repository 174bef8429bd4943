import { I18n, type MessageDescriptor, type MessageOptions } from '@lingui/core';

/** What a component stands as in a translation, e.g. `<0>`; alone it is one that stands for a value. */
const TAG = /<(?=\/?\w)/g;
const VALUE_TAG = /^<\d+\/>$/;

/**
 * Returns translations in which values are shown as they are. The library looks for the tags of a translation only after
 * the values are in it: a name that holds some would lose them, or stand in place of what the translation emphasises.
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

/** A word joiner after the bracket is nothing to the eye, and keeps it from beginning a tag. */
function withoutTag(value: string): string {
  return VALUE_TAG.test(value) ? value : value.replace(TAG, '<\u2060');
}
