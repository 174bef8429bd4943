import { Group, Text } from '@mantine/core';
import { type ComponentType, lazy, useEffect, useRef, useState } from 'react';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { RetryButton } from '../retry-button.tsx';
import { useServerBack, watchForServer } from './server-watch.ts';

/** How long a second attempt may take before the person hears of the first. */
const QUIET_MS = 2000;

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

/**
 * Returns a part of a page that is loaded when it is first shown. When it cannot be loaded, the rest of the
 * page stays: the part says so with Retry, and comes when the server is back. What the person did not ask for
 * is quiet: it shows nothing until then.
 */
export function lazyPart<Props extends object>(load: Load<Props>, options: { isQuiet?: boolean } = {}) {
  return lazy(() =>
    load().catch(() => {
      watchForServer();
      return { default: (props: Props) => <MissingPart load={load} props={props} {...options} /> };
    }),
  );
}

function MissingPart<Props extends object>(options: { load: Load<Props>; props: Props; isQuiet?: boolean }) {
  const describe = useErrorMessage();
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  const [isTrying, setTrying] = useState(true);
  const [hasFailed, setFailed] = useState(false);
  const retry = () => {
    setTrying(true);
    options
      .load()
      .then(
        (loaded) => setPart(() => loaded.default),
        () => {
          setFailed(true);
          watchForServer();
        },
      )
      .finally(() => setTrying(false));
  };
  // It may be shown again long after it failed, when the server is back already.
  const first = useRef(retry);
  useEffect(() => {
    first.current();
    const timer = setTimeout(() => setFailed(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  useServerBack(Part === null, retry);
  if (Part) return <Part {...options.props} />;
  if (options.isQuiet || !hasFailed) return null;
  return (
    <Group role="alert" justify="space-between" gap="sm" py="xs">
      <Text size="sm" style={{ flex: '1 1 12rem' }}>
        {describe(null)}
      </Text>
      <RetryButton variant="default" size="xs" onRetry={retry} loading={isTrying} />
    </Group>
  );
}
