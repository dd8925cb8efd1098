import type { Reservation } from '@sluice/core';

/** Keeps the charge of a reservation, and frees its slots. If the store fails, the lease frees them. */
export function endReservation(reservation: Reservation<boolean>): void {
  // A store that answers at once throws at once, if it was closed meanwhile.
  const ending = async (): Promise<void> => reservation.settle();
  ending().catch(() => {});
}
