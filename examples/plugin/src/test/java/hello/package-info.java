// SPDX-License-Identifier: Apache-2.0
/** Tests against an API server in memory. */
package hello;
