// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.sharding.internal.store;

import org.jspecify.annotations.NullMarked;
