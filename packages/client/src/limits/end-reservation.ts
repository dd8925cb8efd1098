import type { Reservation } from '@sluice/core';

/** Keeps the charge of a reservation, and frees its slots. If the store fails, the lease frees them. */
export function endReservation(reservation: Reservation<boolean>): void {
  Promise.resolve(reservation.settle()).catch(() => {});
}
