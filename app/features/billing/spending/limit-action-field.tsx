import { Trans, useLingui } from '@lingui/react/macro';
import { Radio, Stack } from '@mantine/core';
import type { LimitAction } from '#server/services/billing/spending/limit-rules.ts';
import { useSettings } from '../../../use-settings.ts';

/** What happens at a limit, and what is billed beyond it. */
export function LimitActionField(props: {
  value: LimitAction;
  onChange: (action: LimitAction) => void;
  /** Whether the limit covers what is stored, at a price. */
  hasStorage: boolean;
}) {
  const { t } = useLingui();
  const { value, onChange, hasStorage } = props;
  const { sendsMail } = useSettings();
  return (
    <Radio.Group
      label={t`At the limit`}
      value={value}
      onChange={(chosen) => onChange(chosen === 'notify' ? 'notify' : 'stop')}
    >
      <Stack gap="sm" mt="xs">
        <Radio
          value="stop"
          label={t`Stop serving`}
          description={
            hasStorage ? (
              <Trans>
                Within a minute, visitors get a plain page until the month ends, and buckets accept no new
                data. Deploys, settings, and reading and deleting in buckets keep working. Beyond the limit,
                only what is stored is billed, as long as it is stored.
              </Trans>
            ) : (
              <Trans>
                Within a minute, visitors get a plain page until the month ends. Deploys and settings keep
                working, and nothing beyond the limit is billed.
              </Trans>
            )
          }
        />
        <Radio
          value="notify"
          label={t`Notify only`}
          description={
            sendsMail
              ? t`An email at 50, 75, 90 and 100 percent, and a notice in the console. Everything continues to be served and billed.`
              : t`A notice in the console. Everything continues to be served and billed.`
          }
        />
      </Stack>
    </Radio.Group>
  );
}
