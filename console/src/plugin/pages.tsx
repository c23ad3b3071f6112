// The pages that the plugin adds to the console.
import { useParams } from 'react-router';
import { OperatorsPage } from '../operators/OperatorsPage';
import { inConsole } from './host';

export const operatorsPage = inConsole(({ namespace }: { namespace?: string }) => {
  const { ns } = useParams();
  const place = namespace ?? ns;
  return <OperatorsPage namespace={place === '' || place === '#ALL_NS#' ? undefined : place} />;
});
