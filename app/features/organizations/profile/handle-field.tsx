import { Trans, useLingui } from '@lingui/react/macro';
import { Text, TextInput, type TextInputProps } from '@mantine/core';
import type { Ref } from 'react';

/** The handle, with the resulting address below it while it is typed. */
export function HandleField(
  props: TextInputProps & { ref?: Ref<HTMLInputElement>; preview: string; publicUrl: string },
) {
  const { t } = useLingui();
  const { preview, publicUrl, ...inputProps } = props;
  const host = publicUrl.replace(/^https?:\/\//, '');
  return (
    <div>
      <TextInput
        name="handle"
        label={t`Short name`}
        description={t`For addresses: lowercase letters, digits and hyphens.`}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={39}
        {...inputProps}
      />
      <Text size="xs" c="dimmed" mt={6} mih="1.2rem" style={{ overflowWrap: 'anywhere' }} aria-live="polite">
        {preview !== '' && (
          <Trans>
            Public page: {host}/identity/organizations/
            <Text span inherit fw={600} c="var(--mantine-color-text)">
              {preview}
            </Text>
          </Trans>
        )}
      </Text>
    </div>
  );
}
