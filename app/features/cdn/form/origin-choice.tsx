import { useLingui } from '@lingui/react/macro';
import { Badge, Group, Radio, Stack, Text } from '@mantine/core';
import classes from './origin-choice.module.css';

/** The available kinds of origin. */
export type OriginChoice = 'site' | 'redirect';

/** The kind of origin: a site, another address, or one's own server, which is coming soon. */
export function OriginChoiceField(props: { value: OriginChoice; onChange: (origin: OriginChoice) => void }) {
  const { t } = useLingui();
  const choices = [
    { value: 'site', label: t`Site`, text: t`Serves one of your sites.`, isSoon: false },
    { value: 'redirect', label: t`Redirect`, text: t`Redirects to another address.`, isSoon: false },
    { value: 'http', label: t`HTTP server`, text: t`Forwards requests to your own server.`, isSoon: true },
  ];
  return (
    <Radio.Group
      label={t`Origin`}
      value={props.value}
      onChange={(value) => props.onChange(value === 'redirect' ? 'redirect' : 'site')}
    >
      <Stack gap="xs" mt={4}>
        {choices.map(({ value, label, text, isSoon }) => (
          <Radio.Card key={value} value={value} disabled={isSoon} className={classes.card}>
            <Radio.Indicator disabled={isSoon} />
            <div className={classes.words}>
              <Group gap="xs">
                <Text span size="sm" fw={550} c={isSoon ? 'dimmed' : undefined}>
                  {label}
                </Text>
                {isSoon && <Badge color="gray" size="sm">{t`coming soon`}</Badge>}
              </Group>
              <Text span size="xs" c="dimmed">
                {text}
              </Text>
            </div>
          </Radio.Card>
        ))}
      </Stack>
    </Radio.Group>
  );
}
