// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.slots.store;

import org.jspecify.annotations.NullMarked;
