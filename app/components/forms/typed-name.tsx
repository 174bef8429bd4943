import { Trans } from '@lingui/react/macro';
import { Code, TextInput } from '@mantine/core';

/** Asks a person to type a name before the named thing is lost for good. */
export function TypedName(props: { name: string; value: string; onChange: (value: string) => void }) {
  const { name } = props;
  return (
    <TextInput
      data-autofocus
      label={
        <Trans>
          Type <Code>{name}</Code> to confirm
        </Trans>
      }
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
