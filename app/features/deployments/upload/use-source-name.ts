import { useLingui } from '@lingui/react/macro';

/** Returns a function that names where a deploy came from; third-party tooling keeps its own name. */
export function useSourceName(): (source: string) => string {
  const { t } = useLingui();
  return (source) => {
    switch (source) {
      case 'console':
        return t`From the console`;
      case 'cli':
        return t`From the command line`;
      case 'api':
        return t`Through the API`;
      case 'action':
        return t`By the git host`;
      default:
        return t`By ${source}`;
    }
  };
}
