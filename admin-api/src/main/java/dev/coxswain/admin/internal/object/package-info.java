// SPDX-License-Identifier: Apache-2.0
/** What each controller has to report of one object: on this replica, and merged over all. */
@NullMarked
package dev.coxswain.admin.internal.object;

import org.jspecify.annotations.NullMarked;
