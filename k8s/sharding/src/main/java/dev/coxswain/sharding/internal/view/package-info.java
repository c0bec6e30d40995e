// SPDX-License-Identifier: Apache-2.0
/** The slots as this replica has observed them, for the admin API, metrics and the controllers. */
@NullMarked
package dev.coxswain.sharding.internal.view;

import org.jspecify.annotations.NullMarked;
