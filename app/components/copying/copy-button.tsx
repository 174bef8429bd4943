import { useLingui } from '@lingui/react/macro';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './use-copy.ts';

/** Copies a value with one click and says so for two seconds. `label` names what is copied. */
export function CopyButton(props: { value: string; label: string; onCopied?: () => void }) {
  const { value, label, onCopied } = props;
  const { t } = useLingui();
  const [isCopied, copy] = useCopy();
  return (
    <>
      <Tooltip label={isCopied ? t`Copied` : label}>
        <ActionIcon
          onClick={() => void copy(value).then((isDone) => isDone && onCopied?.())}
          aria-label={label}
          color={isCopied ? 'green' : 'gray'}
          size="md"
        >
          {isCopied ? <IconCheck size={16} stroke={2} /> : <IconCopy size={16} stroke={1.75} />}
        </ActionIcon>
      </Tooltip>
      <span className="visually-hidden" role="status">
        {isCopied ? t`Copied` : ''}
      </span>
    </>
  );
}
