// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.sharding.internal.ownership;

import org.jspecify.annotations.NullMarked;
