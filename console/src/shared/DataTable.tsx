// A table of any number of rows, of which only those in sight are in the document.
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef, type ReactNode } from 'react';

export interface Column<R> {
  id: string;
  title: string;
  cell: (row: R) => ReactNode;
  compare?: (a: R, b: R) => number; // absent: not sorted by
  width?: 10 | 15 | 20 | 25 | 30 | 35 | 40 | 45 | 50 | 60; // per cent; what does not fit is cut
}

export interface Sorting {
  by: string;
  descending: boolean;
}

interface DataTableProps<R> {
  label: string;
  columns: Column<R>[];
  rows: R[]; // sorted by `sorting` here
  rowKey: (row: R) => string;
  sorting: Sorting;
  onSort: (sorting: Sorting) => void;
}

// Below it every row is in the document, so that the browser's own search finds it.
const VIRTUAL_FROM = 120;
const ROW_HEIGHT = 57;
const OVERSCAN = 12;

export function sorted<R>(rows: R[], columns: Column<R>[], sorting: Sorting): R[] {
  const compare = columns.find((column) => column.id === sorting.by)?.compare;
  if (compare === undefined) return rows;
  const sign = sorting.descending ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(a, b));
}

export function DataTable<R>({ label, columns, rows, rowKey, sorting, onSort }: DataTableProps<R>) {
  const scroller = useRef<HTMLDivElement>(null);
  const ordered = useMemo(() => sorted(rows, columns, sorting), [rows, columns, sorting]);
  const virtual = ordered.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: virtual ? ordered.length : 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: (index) => rowKey(ordered[index] as R),
  });
  const shown = virtualizer.getVirtualItems();
  const before = virtual ? (shown[0]?.start ?? 0) : 0;
  const after = virtual ? virtualizer.getTotalSize() - (shown[shown.length - 1]?.end ?? 0) : 0;
  const indexes = virtual ? shown.map((item) => item.index) : ordered.map((_, index) => index);
  const sortIndex = columns.findIndex((column) => column.id === sorting.by);

  return (
    <div
      ref={scroller}
      className={virtual ? 'steward-scroller' : undefined}
      // A region that scrolls is reached by the keyboard.
      {...(virtual ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}
      data-test="steward-scroller"
    >
      <Table aria-label={label} variant="compact" isStickyHeader={virtual} aria-rowcount={ordered.length + 1} className="steward-table">
        <Thead>
          <Tr aria-rowindex={1}>
            {columns.map((column, index) => (
              <Th
                key={column.id}
                width={column.width}
                modifier="nowrap"
                sort={
                  column.compare
                    ? {
                        columnIndex: index,
                        sortBy: { index: sortIndex, direction: sorting.descending ? 'desc' : 'asc', defaultDirection: 'asc' },
                        onSort: (_event, _index, direction) => onSort({ by: column.id, descending: direction === 'desc' }),
                      }
                    : undefined
                }
              >
                {column.title}
              </Th>
            ))}
          </Tr>
        </Thead>
        <Tbody>
          {before > 0 ? <Spacer height={before} columns={columns.length} /> : null}
          {indexes.map((index) => {
            const row = ordered[index] as R;
            return <Row key={rowKey(row)} row={row} columns={columns} index={index} measure={virtual ? virtualizer.measureElement : undefined} />;
          })}
          {after > 0 ? <Spacer height={after} columns={columns.length} /> : null}
        </Tbody>
      </Table>
    </div>
  );
}

interface RowProps<R> {
  row: R;
  columns: Column<R>[];
  index: number;
  measure?: (element: HTMLTableRowElement | null) => void;
}

// While the table scrolls, rows that stay are not drawn anew.
const Row = memo(function Row<R>({ row, columns, index, measure }: RowProps<R>) {
  return (
    <Tr aria-rowindex={index + 2} ref={measure} data-index={index} data-test="steward-row">
      {columns.map((column) => (
        <Td key={column.id} dataLabel={column.title} modifier={column.width ? 'truncate' : undefined}>
          {column.cell(row)}
        </Td>
      ))}
    </Tr>
  );
}) as <R>(props: RowProps<R>) => ReactNode;

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}
